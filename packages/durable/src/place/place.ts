import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The host or container in which a process runs, with a check for ended processes in it. */
export interface Place {
  /** Identifies host and process namespace: processes with equal ids see the same processes. `null` where it cannot be determined. */
  readonly id: string | null;
  /** Id of this process in its namespace. */
  readonly pid: number;
  /** Start time of this process, which distinguishes it from an earlier one with the same id. */
  readonly started: string | null;
  /** Whether a process of this place has ended; `false` if that cannot be determined. */
  isGone(pid: number, started: string | null): boolean;
}

/**
 * Returns the place of this process: on Linux the boot id, the host name, and the PID and time namespaces; elsewhere the id is `null`.
 *
 * Containers have their own namespaces and host names, so each is a separate place even on the same machine.
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
    return null; // not Linux, or /proc is hidden: takeovers wait for the leases to expire
  }
};

const isGone = (pid: number, started: string | null): boolean => {
  if (!exists(pid)) return true;
  const present = startTime(pid);
  return present !== null && started !== null && present !== started;
};

/** Signal 0 also detects processes of other users, which a restricted /proc hides. */
const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
};

/** Indexes of fields in `/proc/<pid>/stat` after the name, which is in parentheses and may contain any character. */
const STATE = 0;
const START_TIME = 19;

/** Returns the start time of a process in clock ticks since boot; "ended" for a zombie, `null` if it cannot be read. */
const startTime = (pid: number): string | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return /[ZXx]/.test(fields[STATE] ?? "") ? "ended" : (fields[START_TIME] ?? null);
  } catch {
    return null;
  }
};
