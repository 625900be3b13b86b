import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { FrameworkError } from "@framework/core";

/** Modules that are tried when neither the command line nor the start script names one. */
const conventionalPrograms: readonly string[] = [
  "src/main.ts",
  "main.ts",
  "src/server.ts",
  "server.ts",
  "src/main.js",
  "main.js",
];

/** Finds the program that runs the app: the given one, that of the script `start`, else a conventional path; `null` if there is none. */
export const findProgram = (given: string | undefined, cwd: string): string | null => {
  const named = given ?? ofStartScript(cwd);
  const paths = named === undefined ? conventionalPrograms : [named];
  return paths.map((path) => resolve(cwd, path)).find((path) => existsSync(path)) ?? null;
};

/** Finds the program like `findProgram`. @param remedy how a person names it @throws CLI_NO_SERVICE */
export const requireProgram = (given: string | undefined, cwd: string, remedy: string): string => {
  const program = findProgram(given, cwd);
  if (program !== null) return program;
  const script = given === undefined ? ofStartScript(cwd) : undefined;
  const named = given ?? script;
  const problem = named === undefined ? "there is no program" : `there is no file ${named} in ${cwd}`;
  const source = script === undefined ? "" : ", which the script start of package.json names";
  const hint = given === undefined ? `; ${remedy}` : "";
  throw new FrameworkError("CLI_NO_SERVICE", `${problem}${source}${hint}`);
};

const ofStartScript = (cwd: string): string | undefined => {
  const path = resolve(cwd, "package.json");
  if (!existsSync(path)) return undefined;
  const { scripts } = JSON.parse(readFileSync(path, "utf8")) as { scripts?: { start?: string } };
  return /^node\s(?:.*\s)?([\w./-]+\.(?:ts|js|mjs))(?:\s|$)/.exec(scripts?.start ?? "")?.[1];
};
