import { FrameworkError } from "@framework/core";

/** The attempt exceeded `timeoutMs`; a later result of the handler is ignored. */
export const workTimeout = (queue: string, timeoutMs: number): FrameworkError =>
  new FrameworkError("DURABLE_TIMEOUT", `durable: an item of "${queue}" was not done within ${timeoutMs} ms`);

/** A write of this attempt was refused: the item was taken over, cancelled or completed. */
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
    `durable: the process is stopping; another one takes over the item of "${queue}"`,
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
