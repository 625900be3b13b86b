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
  /** Whether package.json has a script `start`, which should name a program. */
  readonly isExpected: boolean;
}

/** Finds the program that runs the app: the given path, the program of the script `start`, or the first conventional path that exists. */
export const findProgram = (given: string | undefined, cwd: string): FoundProgram => {
  const script = given === undefined ? startScript(cwd) : null;
  const named = given ?? (script === null ? null : moduleOfScript(script));
  const paths = named === null ? conventionalPrograms : [named];
  const path = paths.map((each) => resolve(cwd, each)).find((each) => existsSync(each)) ?? null;
  return { path, problem: problemOf(named, script, cwd), isExpected: script !== null };
};

const problemOf = (named: string | null, script: string | null, cwd: string): string => {
  const source = script === null ? "" : ", which the script start of package.json names";
  if (named !== null) return `there is no file ${named} in ${cwd}${source}`;
  return script === null
    ? "there is no program"
    : `the script start of package.json runs no module: ${script}`;
};

/** Returns the path of the program. @param remedy how to name the program, for the message @throws CLI_NO_SERVICE if none is found */
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
