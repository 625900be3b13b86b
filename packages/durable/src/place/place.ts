import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Where a process runs, and which processes of the same place are gone. */
export interface Place {
  /** Identifies host and process namespace: equal ids see the same processes. `null` where that cannot be known. */
  readonly id: string | null;
  /** Id of this process in its namespace. */
  readonly pid: number;
  /** Start time of this process, which tells it from an earlier one with the same id. */
  readonly started: string | null;
  /** Whether a process of this place has ended. `false` in doubt. */
  isGone(pid: number, started: string | null): boolean;
}

/**
 * The place of this process: on Linux the boot id, the host name and the namespaces of processes and time, elsewhere unknown.
 *
 * Containers have namespaces and host names of their own, so they are places of their own, also on one machine.
 */
export const thisPlace = (): Place => {
  const { pid } = process;
  const started = startTime(pid);
  const id = started === null ? null : placeId();
  return { id, pid, started, isGone: id === null ? () => false : isGone };
};

const placeId = (): string | null => {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return [boot, hostname(), readlinkSync("/proc/self/ns/pid"), readlinkSync("/proc/self/ns/time")].join(
      "/",
    );
  } catch {
    return null; // not Linux, or /proc is hidden: only leases decide
  }
};

const isGone = (pid: number, started: string | null): boolean => {
  if (!exists(pid)) return true;
  const present = startTime(pid);
  return present !== null && started !== null && present !== started;
};

/** Signal 0 also finds processes of other users that a restricted /proc hides. */
const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
};

/** Fields of `/proc/<pid>/stat` behind the name, which is in parentheses and may contain anything. */
const STATE = 0;
const START_TIME = 19;

/** Start time of a process in clock ticks since boot; "ended" for one that its parent has not reaped yet, `null` when it cannot be read. */
const startTime = (pid: number): string | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return /[ZXx]/.test(fields[STATE] ?? "") ? "ended" : (fields[START_TIME] ?? null);
  } catch {
    return null;
  }
};
