import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

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

const ofStartScript = (cwd: string): string | undefined => {
  const path = resolve(cwd, "package.json");
  if (!existsSync(path)) return undefined;
  const { scripts } = JSON.parse(readFileSync(path, "utf8")) as { scripts?: { start?: string } };
  return /^node\s(?:.*\s)?([\w./-]+\.(?:ts|js|mjs))(?:\s|$)/.exec(scripts?.start ?? "")?.[1];
};
