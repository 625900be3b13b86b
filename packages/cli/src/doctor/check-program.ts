import { spawn } from "node:child_process";
import { relative } from "node:path";
import { errorLine } from "../service/error-line.ts";
import type { Facts, ProgramReport } from "./rules/facts.ts";

/** Maximum number of characters kept of each output stream. */
const MAX_OUTPUT = 1_048_576;

/** Runs a program with `--check`, with the Node flags of this process such as `--conditions`, and reads its report. */
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
  const failure = await new Promise<string>((done) => {
    child.on("error", (error) => done(error.message));
    child.on("close", (code, signal) => {
      if (signal === null) return done(errorLine(err) || `exit code ${code}`);
      // `killed` is set only by the timeout, and only if the process had not ended before.
      const reason = child.killed ? `no end within ${timeoutSecs} s` : `ended by signal ${signal}`;
      done([reason, errorLine(err)].filter(Boolean).join(": "));
    });
  });
  const report = reportIn(out);
  return { path: relative(cwd, path), report, failure: report === null ? failure : "" };
};

const reportIn = (output: string): ProgramReport | null => {
  const line = output.split("\n").findLast((text) => text.startsWith('{"event":"check"'));
  return line === undefined ? null : (JSON.parse(line) as ProgramReport);
};
