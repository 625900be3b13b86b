import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Result of one program. */
export interface ProgramRun {
  /** Exit code; `null` after a signal, such as the one of the timeout. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const runner = join(import.meta.dirname, "runner.ts");

/**
 * Runs modules one after another, in one process unless one ends it: loading the framework's sources takes 20 times longer than running an example.
 * A module starts when the event loop of the previous module is empty. If a module ends the process, only that module fails, and the next ones run in a new process.
 *
 * @param limits.timeoutMs time limit of one process in milliseconds
 * @param limits.flags flags for Node
 */
export const runPrograms = (
  paths: readonly string[],
  { timeoutMs, flags = [] }: { readonly timeoutMs: number; readonly flags?: readonly string[] },
): ProgramRun[] => {
  const { NODE_OPTIONS: _flagsOfJest, ...env } = process.env;
  const runs: ProgramRun[] = [];
  while (runs.length < paths.length) {
    const args = [...flags, runner, ...paths.slice(runs.length)];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      encoding: "utf8",
      env,
      timeout: timeoutMs,
    });
    const [errors, texts] = [stderr.split("\0"), stdout.split("\0")];
    for (let at = 0; runs.length < paths.length && at < texts.length; at += 2) {
      const code = texts[at + 1];
      const [text = "", error = ""] = [texts[at], errors[at / 2]];
      runs.push({ status: code === undefined ? status : Number(code), stdout: text, stderr: error });
    }
  }
  return runs;
};
