import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

const { NODE_OPTIONS: _, ...environment } = process.env;

/** A program that prints a line when it has started. */
export interface TimedProgram {
  /** Path relative to the folder of the programs. */
  readonly file: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Text that the line contains. @default any line */
  readonly until?: string;
}

/** Measures the milliseconds from the start of a program to its line, then kills it. */
export const measureStartTime = async (
  folder: string,
  { file, args = [], env = {}, until = "" }: TimedProgram,
): Promise<number> => {
  const start = process.hrtime.bigint();
  const child = spawn(process.execPath, [join(folder, file), ...args], {
    cwd: folder,
    env: { ...environment, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let ms: number | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes(until)) continue;
    ms = Number(process.hrtime.bigint() - start) / 1e6;
    break;
  }
  if (ms === undefined) throw new Error(`${file} ended without ${until === "" ? "output" : until}`);
  child.kill("SIGKILL");
  await exited;
  return ms;
};
