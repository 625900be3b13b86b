import { spawnSync } from "node:child_process";
import { cpus } from "node:os";

/** `taskset` fails if a thread ends while it iterates over the threads. */
const ATTEMPTS = 3;

/** Pins a process with all its threads to one core; false without `taskset` or with only one core. */
export const pin = (pid: number, core: number): boolean =>
  cpus().length > 1 &&
  Array.from({ length: ATTEMPTS }).some(
    () => spawnSync("taskset", ["-apc", String(core), String(pid)]).status === 0,
  );
