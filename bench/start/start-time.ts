import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const { NODE_OPTIONS: _, ...environment } = process.env;

/** Milliseconds from the start of a program to its first line; the program is ended then. */
export const startTime = async (folder: string, file: string): Promise<number> => {
  const start = process.hrtime.bigint();
  const child = spawn(process.execPath, [join(folder, file)], {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [piece] = (await Promise.race([once(child.stdout, "data"), once(child.stdout, "end")])) as [Buffer?];
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (piece === undefined) throw new Error(`${file} ended without output`);
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
  return ms;
};
