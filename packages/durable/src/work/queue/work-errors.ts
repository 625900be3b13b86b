import { FrameworkError } from "@framework/core";

/** Creates the error of an attempt that exceeded `timeoutMs`; a later result of the handler is ignored. */
export const workTimeout = (queue: string, timeoutMs: number): FrameworkError =>
  new FrameworkError("DURABLE_TIMEOUT", `durable: an item of "${queue}" was not done within ${timeoutMs} ms`);

/** Creates the error of a refused write: the item was taken over, cancelled or completed. */
export const workLost = (queue: string): FrameworkError =>
  new FrameworkError(
    "DURABLE_LOST",
    `durable: this attempt at an item of "${queue}" has ended, because it was taken over, cancelled or completed; nothing was written`,
  );

/** Creates the error of a cancelled item. */
export const workCancelled = (queue: string): FrameworkError =>
  new FrameworkError("DURABLE_CANCELLED", `durable: the item of "${queue}" was cancelled`);

/** Creates the error of an item that is given back, because the process is draining and its deadline has passed. */
export const workReleased = (queue: string): FrameworkError =>
  new FrameworkError(
    "DURABLE_RELEASED",
    `durable: the process is stopping; another one takes over the item of "${queue}"`,
  );

/** Creates the error of an attempt without an outcome: its process was killed, or hung. */
export const attemptLost = (attempts: number): FrameworkError =>
  new FrameworkError("DURABLE_ATTEMPT_LOST", `durable: the process ended or hung in attempt ${attempts}`);

/** Creates the error of work that cannot be stored. */
export const badWork = (queue: string, problem: string): FrameworkError =>
  new FrameworkError("DURABLE_BAD_WORK", `durable: ${problem} (queue "${queue}")`);
