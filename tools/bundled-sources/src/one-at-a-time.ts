import { readFileSync, rmSync, writeFileSync } from "node:fs";

const MOST_WAIT_MS = 60_000;
const LOOK_MS = 20;

/**
 * Runs work under a lock between processes, so that it is done once.
 *
 * The lock only avoids duplicate work: it is ignored when its process has ended, and after a minute.
 */
export const oneAtATime = <T>(lock: string, work: () => T): T => {
  const end = Date.now() + MOST_WAIT_MS;
  while (!isTaken(lock)) {
    if (Date.now() > end || !isAlive(lock)) rmSync(lock, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS); // callers are synchronous
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
};

const isTaken = (lock: string): boolean => {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
};

const isAlive = (lock: string): boolean => {
  try {
    process.kill(Number(readFileSync(lock, "utf8")), 0); // 0, of a lock not yet written, is this process
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
};
