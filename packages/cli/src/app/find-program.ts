import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { FrameworkError } from "@framework/core";
import { readPackageJson } from "./read-package-json.ts";
import { moduleOfScript } from "./start-script.ts";

/** Modules that are tried when neither the command line nor the start script names one. */
const conventionalPrograms: readonly string[] = [
  "src/main.ts",
  "main.ts",
  "src/server.ts",
  "server.ts",
  "src/main.js",
  "main.js",
];

/** A program, or the reason why none was found. */
export interface FoundProgram {
  /** Absolute path; `null` if there is none. */
  readonly path: string | null;
  /** The reason why none was found; meaningful only if `path` is `null`. */
  readonly problem: string;
  /** Whether no path was given and package.json has a script `start`, which should name a program. */
  readonly isExpected: boolean;
}

/**
 * Finds the program that runs the app: the given path, else the program of the script `start`, else the first conventional path that exists.
 *
 * @throws CLI_BAD_PACKAGE_JSON
 */
export const findProgram = (given: string | undefined, cwd: string): FoundProgram => {
  const script = given === undefined ? startScript(cwd) : null;
  const name = given ?? (script === null ? null : moduleOfScript(script));
  const paths = name === null ? conventionalPrograms : [name];
  const path = paths.map((each) => resolve(cwd, each)).find((each) => existsSync(each)) ?? null;
  return { path, problem: problemOf(name, script, cwd), isExpected: script !== null };
};

const problemOf = (name: string | null, script: string | null, cwd: string): string => {
  const source = script === null ? "" : ", which the script start of package.json names";
  if (name !== null) return `there is no file ${name} in ${cwd}${source}`;
  return script === null
    ? "there is no program"
    : `the script start of package.json runs no module: ${script}`;
};

/**
 * Returns the path of the program.
 *
 * @param remedy how to name the program, for the message
 * @throws CLI_NO_SERVICE if none is found; CLI_BAD_PACKAGE_JSON
 */
export const requireProgram = (given: string | undefined, cwd: string, remedy: string): string => {
  const { path, problem } = findProgram(given, cwd);
  if (path !== null) return path;
  throw new FrameworkError("CLI_NO_SERVICE", given === undefined ? `${problem}; ${remedy}` : problem);
};

const startScript = (cwd: string): string | null => {
  const path = resolve(cwd, "package.json");
  if (!existsSync(path)) return null;
  const { scripts } = readPackageJson(path) as { scripts?: { start?: unknown } | null };
  return typeof scripts?.start === "string" ? scripts.start : null;
};
