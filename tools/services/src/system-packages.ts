import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { findProgram } from "./programs.ts";

/** Result of `installPrograms`: the programs that are still missing, and the reason. */
export type Installed = { readonly missing: readonly string[]; readonly reason: string | null };

/** User and environment of the test run. */
export interface Rights {
  readonly ci?: boolean;
  readonly root?: boolean;
}

/**
 * Installs the Debian packages of missing programs with apt.
 *
 * Installs only as root, or in CI with `sudo` without a password: tests that run as an ordinary user never change the machine of a developer.
 * Otherwise the reason contains the command.
 *
 * @param wanted package by program; a key may also be the absolute path of any file of the package
 */
export const installPrograms = (
  wanted: Readonly<Record<string, string>>,
  { ci = process.env["CI"] !== undefined, root = process.getuid?.() === 0 }: Rights = {},
): Installed => {
  const missing = [...new Set(Object.keys(wanted).filter((program) => !isInstalled(program)))];
  const packages = [...new Set(missing.map((program) => wanted[program] ?? program))];
  if (packages.length === 0) return { missing: [], reason: null };
  const instruction = `install ${packages.join(", ")}`;
  if (findProgram("apt-get") === null)
    return { missing, reason: `${instruction} with the system's package manager` };
  const prefix = sudoPrefix(ci, root);
  if (prefix === null)
    return { missing, reason: `${instruction}: sudo apt-get install -y ${packages.join(" ")}` };
  const apt = (...args: string[]): boolean =>
    run([...prefix, "apt-get", "-qq", "-o", "DPkg::Lock::Timeout=120", ...args]);
  const done = apt("update") && apt("install", "-y", "--no-install-recommends", ...packages);
  return { missing: done ? [] : missing, reason: done ? null : `apt-get could not ${instruction}` };
};

const isInstalled = (wanted: string): boolean =>
  isAbsolute(wanted) ? existsSync(wanted) : findProgram(wanted) !== null;

const sudoPrefix = (ci: boolean, root: boolean): string[] | null => {
  if (root) return [];
  const sudo = ["sudo", "-n"];
  return ci && run([...sudo, "true"]) ? [...sudo, "env", "DEBIAN_FRONTEND=noninteractive"] : null;
};

const run = ([program = "", ...args]: string[]): boolean =>
  spawnSync(program, args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  }).status === 0;
