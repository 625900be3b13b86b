import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./worker.test-program.ts", import.meta.url));

/** Starts a part of the worker. */
export const startWorker = (
  part: string,
  env: Readonly<Record<string, string>>,
): ChildProcessByStdio<null, Readable, null> =>
  spawn(process.execPath, ["--conditions=@framework/source", program, part], {
    env: { ...process.env, ...env, NODE_OPTIONS: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });

/** Resolves with the exit code and the output of the worker. */
export const waitForExit = async (
  worker: ReturnType<typeof startWorker>,
): Promise<readonly [unknown, string]> => {
  const [[code], printed] = await Promise.all([once(worker, "exit"), text(worker.stdout)]);
  return [code, printed];
};
