import { FrameworkError } from "@framework/core";

/** The attempt took longer than `timeoutMs`; whatever the handler still does, it does not count. */
export const workTimeout = (queue: string, timeoutMs: number): FrameworkError =>
  new FrameworkError("DURABLE_TIMEOUT", `durable: an item of "${queue}" was not done in ${timeoutMs} ms`);

/** The item belongs to another process, was cancelled, or has ended: a write of this attempt was refused. */
export const workLost = (queue: string): FrameworkError =>
  new FrameworkError(
    "DURABLE_LOST",
    `durable: this attempt at an item of "${queue}" has ended, because it was taken over, cancelled or completed; nothing was written`,
  );

/** The item was cancelled. */
export const workCancelled = (queue: string): FrameworkError =>
  new FrameworkError("DURABLE_CANCELLED", `durable: the item of "${queue}" was cancelled`);

/** The process is draining, and its deadline has passed. */
export const workReleased = (queue: string): FrameworkError =>
  new FrameworkError(
    "DURABLE_RELEASED",
    `durable: the process ends; another one takes the item of "${queue}" over`,
  );

/** An attempt ended without an outcome: its process was killed, or stopped answering. */
export const attemptLost = (attempts: number): FrameworkError =>
  new FrameworkError(
    "DURABLE_ATTEMPT_LOST",
    `durable: the process ended or stopped answering in attempt ${attempts}`,
  );

/** Work that cannot be stored. */
export const badWork = (queue: string, problem: string): FrameworkError =>
  new FrameworkError("DURABLE_BAD_WORK", `durable: ${problem} (queue "${queue}")`);
