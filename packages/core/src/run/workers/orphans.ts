import { readdirSync, readFileSync } from "node:fs";
import type { Logger } from "../../log/logger.ts";
import { pause } from "../stop/shutdown.ts";
import type { HoldPort } from "./hold-port.ts";
import { BRIEF_VARIABLE, type WorkerBrief } from "./messages.ts";

/** Milliseconds between two attempts to bind a port that orphans hold. */
const RETRY_MS = 100;

/** Options of `afterOrphans`. */
export interface OrphanOptions {
  readonly log: Pick<Logger, "warn">;
  /** Maximum wait in milliseconds. */
  readonly limitMs: number;
  /** Whether this process has been asked to end during the wait. */
  readonly isEnding: () => boolean;
}

/**
 * Binds a port once the orphans that hold it have ended: workers whose primary was killed, for example while they were loading their program. All orphans share
 * one listening socket, which closes with the last of them. If any other process holds the port, the error is thrown at once.
 */
export const afterOrphans =
  (hold: HoldPort, { log, limitMs, isEnding }: OrphanOptions): HoldPort =>
  async (at, name) => {
    const end = performance.now() + limitMs;
    let seen: readonly number[] | null = null;
    for (;;) {
      try {
        return await hold(at, name);
      } catch (error) {
        const orphans = isInUse(error) ? orphansAt(at.port) : [];
        // the last orphan may have just ended: attempt once more
        const isLast = orphans.length === 0 && (seen === null || seen.length === 0);
        if (isLast || isEnding() || performance.now() >= end) throw error;
        if (seen === null)
          log.warn("the start waits for workers whose primary has ended", {
            port: at.port,
            workers: orphans,
          });
        seen = orphans;
      }
      await pause(RETRY_MS);
    }
  };

/** Whether a port could not be bound because a socket listens on it. */
export const isInUse = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | null)?.code === "EADDRINUSE";

/** Process ids of the workers of this user that serve a port and whose primary has ended. Without `/proc`, as on macOS, none are found. */
export const orphansAt = (port: number): readonly number[] => {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
      .map(Number)
      .filter((pid) => isOrphanAt(pid, port));
  } catch {
    return []; // the system has no `/proc`
  }
};

const isOrphanAt = (pid: number, port: number): boolean => {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    const text = variables.find((variable) => variable.startsWith(`${BRIEF_VARIABLE}=`));
    if (text === undefined) return false;
    const brief = JSON.parse(text.slice(BRIEF_VARIABLE.length + 1)) as WorkerBrief;
    return [brief, ...brief.listeners].some((each) => each.port === port) && hasEnded(brief.primary);
  } catch {
    return false; // it has ended, belongs to another user, or has a variable that is not ours
  }
};

/** Whether a process has ended. `/proc` lists an ended process until its parent has read its exit code. */
const hasEnded = (pid: number): boolean => {
  try {
    const [, state] = /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return state === "Z" || state === "X";
  } catch {
    return true;
  }
};
