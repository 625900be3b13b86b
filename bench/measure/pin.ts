import { spawnSync } from "node:child_process";
import { cpus } from "node:os";

/** A thread that ends while `taskset` goes through them fails it. */
const ATTEMPTS = 3;

/** Keeps a process, all its threads included, on one core; false where there is no `taskset` or only one core. */
export const pin = (pid: number, core: number): boolean =>
  cpus().length > 1 &&
  Array.from({ length: ATTEMPTS }).some(
    () => spawnSync("taskset", ["-apc", String(core), String(pid)]).status === 0,
  );
