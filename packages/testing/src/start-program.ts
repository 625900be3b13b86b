import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { conditionsIn } from "./conditions.ts";
import { testingError } from "./errors.ts";
import { inTime, unlessAborted } from "./in-time.ts";
import { lifelineOn } from "./lifeline.ts";
import { listeningUrl } from "./listening-url.ts";
import { collectOutput } from "./program-output.ts";
import { createProgram, exitOf, type Program } from "./program.ts";

/** Options of a program. */
export interface ProgramOptions {
  /** Arguments of the program. */
  readonly args?: readonly string[];
  /** Added to this process's environment and `PORT=0`; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Arguments of Node, besides the conditions. */
  readonly execArgv?: readonly string[];
  /** Export conditions of the program. @default the conditions of this process's command line */
  readonly conditions?: readonly string[];
  /** Working directory. @default this process's */
  readonly cwd?: string;
  /** Maximum time until the program listens, in milliseconds. @default 60_000 */
  readonly timeoutMs?: number;
  /** Maximum time until the program has stopped, in milliseconds; then it is killed. @default 60_000 */
  readonly stopTimeoutMs?: number;
}

/**
 * Starts a program with this process's Node. Resolves when the program listens, that is, when it prints the framework's line
 * `{"event":"listening","url":…}`, or any URL of this machine.
 *
 * `PORT=0` selects any free port, also for a program that sets a fixed one. The program ends with this process, even if this process is killed.
 *
 * @throws TESTING_PROGRAM_FAILED when it exits before it listens, TESTING_TIMEOUT; both with its output
 * @example
 * await using program = await startProgram(new URL("./main.ts", import.meta.url));
 * const reply = await program.client.get("/books");
 */
export const startProgram = async (file: string | URL, options: ProgramOptions = {}): Promise<Program> => {
  const name = typeof file === "string" ? file : fileURLToPath(file);
  const { timeoutMs = 60_000, stopTimeoutMs = 60_000 } = options;
  const child = spawnProgram(name, options);
  const exited = exitOf(child);
  const { promise: listening, resolve, reject } = Promise.withResolvers<string>();
  const output = collectOutput([child.stdout, child.stderr], (line) => {
    const url = listeningUrl(line);
    if (url !== null) resolve(url);
  });
  const failed = (problem: string, cause?: unknown): void =>
    reject(testingError("TESTING_PROGRAM_FAILED", `${name} ${problem}; ${output.tail()}`, cause));
  child.once("error", (error) => failed(`could not be started: ${error.message}`, error));
  void exited.then(({ code, signal }) => failed(`ended with ${signal ?? code} before it listened`));
  const timeoutError = (): Error =>
    testingError("TESTING_TIMEOUT", `${name} did not listen within ${timeoutMs} ms; ${output.tail()}`);
  try {
    const url = await inTime(timeoutMs, timeoutError, (deadline) => unlessAborted(listening, deadline));
    return createProgram({ name, child, output, exited, stopTimeoutMs }, url);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
};

const spawnProgram = (name: string, options: ProgramOptions): ChildProcess => {
  const { args = [], env = {}, execArgv = [], conditions = conditionsIn(process.execArgv), cwd } = options;
  const lifeline = lifelineOn(3);
  const nodeArgs = [
    ...conditions.map((condition) => `--conditions=${condition}`),
    ...execArgv,
    ...lifeline.execArgv,
  ];
  return spawn(process.execPath, [...nodeArgs, name, ...args], {
    cwd,
    env: { ...process.env, PORT: "0", ...env, ...lifeline.env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
};
