import { readFileSync, rmSync, writeFileSync } from "node:fs";

const MAX_WAIT_MS = 60_000;
const POLL_MS = 20;

/**
 * Runs work under a lock that is held by one process at a time.
 *
 * The lock only avoids duplicate work: it is ignored when its process has ended, or after a minute.
 */
export const withProcessLock = <T>(lock: string, work: () => T): T => {
  const end = Date.now() + MAX_WAIT_MS;
  while (!tryLock(lock)) {
    if (Date.now() > end || !isOwnerAlive(lock)) rmSync(lock, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS); // callers are synchronous
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
};

const tryLock = (lock: string): boolean => {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
};

const isOwnerAlive = (lock: string): boolean => {
  try {
    process.kill(Number(readFileSync(lock, "utf8")), 0); // an empty file gives 0, which checks this process
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
};
