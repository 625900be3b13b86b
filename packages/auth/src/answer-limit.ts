import type { Awaitable } from "@framework/core";
import { type Clock, isPromise, systemClock, within } from "@framework/core/feature";

/** Limit on the time of a function that the program gives, such as a lookup in a database. */
export interface AnswerLimit {
  /** Milliseconds after which a call without an answer has failed; at most 600,000. @default 30000 */
  readonly timeoutMs?: number;
  /** Clock of the timeout, for tests. @default the system clock */
  readonly clock?: Clock;
}

/** Longer than 100 passwords wait for their turn on a busy machine. */
const TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 600_000;

/** Waits for an answer; synchronous ones pass as they are. */
export interface AnswerWait {
  readonly timeoutMs: number;
  /** What is wrong with the limit, `null` for nothing. */
  readonly problem: string | null;
  /** Returns the answer, or what `late` returns or throws. */
  of<T>(answer: Awaitable<T>, late: () => T): Awaitable<T>;
}

/** Creates the wait for answers within a limit. */
export const answerWait = ({ timeoutMs = TIMEOUT_MS, clock = systemClock }: AnswerLimit): AnswerWait => ({
  timeoutMs,
  problem:
    Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS
      ? null
      : `timeoutMs must be a whole number from 1 to ${MAX_TIMEOUT_MS}`,
  of: (answer, late) =>
    isPromise(answer) ? within(Promise.resolve(answer), timeoutMs, clock, late) : answer,
});
