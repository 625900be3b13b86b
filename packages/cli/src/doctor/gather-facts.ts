import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { type InstalledPackage, installedPackages, readPackage } from "../explain/installed-packages.ts";
import { findProgram, requireProgram } from "../app/find-program.ts";
import { isFolder } from "../app/is-folder.ts";
import { checkProgram } from "./check-program.ts";
import type { Facts } from "./rules/facts.ts";
import { readManifests } from "./manifests.ts";

/** Options of `gatherFacts`. */
export interface GatherOptions {
  readonly cwd: string;
  readonly program: string | undefined;
  readonly frameworkEnv: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Timeout of the program's check in seconds. */
  readonly timeoutSecs: number;
}

/** Runs the program with `--check` and reads everything else that the rules check. @throws CLI_NO_SERVICE for a given program that does not exist */
export const gatherFacts = async ({
  cwd,
  program: given,
  frameworkEnv,
  variables,
  timeoutSecs,
}: GatherOptions): Promise<Facts> => {
  if (given !== undefined) requireProgram(given, cwd, "name another program");
  const { path, problem, isExpected } = findProgram(given, cwd);
  const manifests = readManifests(cwd);
  const replicated = manifests.workloads.find(({ kind, replicas }) => kind === "kubernetes" && replicas > 1);
  const childEnvironment = {
    ...variables,
    ...Object.fromEntries(replicated?.variables ?? []),
    FRAMEWORK_ENV: frameworkEnv,
  };
  const program =
    path === null ? null : await checkProgram(path, { cwd, environment: childEnvironment, timeoutSecs });
  const packages = installedPackages(cwd);
  const missing = path === null && isExpected ? { missingProgram: problem } : {};
  return {
    program,
    ...missing,
    packages,
    otherCores: otherCores(packages),
    ...manifests,
    files: envFiles(cwd),
  };
};

/** Returns the copies of core in the folders of other packages. */
const otherCores = (packages: readonly InstalledPackage[]): readonly InstalledPackage[] => {
  const first = packages.find(({ name }) => name === "@framework/core");
  const nested = packages.flatMap(
    ({ folder }) => readPackage(join(folder, "node_modules/@framework/core")) ?? [],
  );
  const others = new Map(nested.map((copy) => [copy.folder, copy]));
  return [...others.values()].filter(({ folder }) => folder !== first?.folder);
};

const envFiles = (cwd: string): Facts["files"] =>
  [".env", ".env.production", ".env.local"]
    .filter((path) => existsSync(join(cwd, path)) && !isFolder(join(cwd, path)))
    .map((path) => {
      const variables = Object.entries(parseEnv(readFileSync(join(cwd, path), "utf8")));
      return { path, variables: new Map(variables.map(([name, value]) => [name, value ?? ""])) };
    });
