import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { Facts, ProgramReport } from "./rules/facts.ts";

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

/** Longest output that is read of a program. */
const MAX_OUTPUT = 1_048_576;

/** Runs a program with `--check` and reads its answer. It runs with this process's own flags, such as `--conditions`. */
export const checkProgram = async (
  path: string,
  {
    cwd,
    environment,
    timeoutSecs,
  }: { cwd: string; environment: Readonly<Record<string, string | undefined>>; timeoutSecs: number },
): Promise<NonNullable<Facts["program"]>> => {
  const child = spawn(process.execPath, [...process.execArgv, path, "--check"], {
    cwd,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutSecs * 1000,
    killSignal: "SIGKILL",
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (piece: Buffer) => (out = `${out}${piece.toString()}`.slice(-MAX_OUTPUT)));
  child.stderr.on("data", (piece: Buffer) => (err = `${err}${piece.toString()}`.slice(-MAX_OUTPUT)));
  const ended = await new Promise<string>((done) => {
    child.on("error", (error) => done(error.message));
    child.on("close", (code, signal) =>
      done(signal === null ? `exit code ${code}` : `no end within ${timeoutSecs} s`),
    );
  });
  const report = reportIn(out);
  const [words = ended] = err.split("\n").filter((line) => /^(?:\w*Error\b|[A-Z]+_[A-Z_]+:)/.test(line));
  return { path: relative(cwd, path), report, failure: report === null ? words.trim().slice(0, 500) : "" };
};

const reportIn = (output: string): ProgramReport | null => {
  const line = output.split("\n").findLast((text) => text.startsWith('{"event":"check"'));
  return line === undefined ? null : (JSON.parse(line) as ProgramReport);
};
