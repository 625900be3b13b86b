import type { Awaitable } from "@framework/core";
import {
  checked,
  type Clock,
  type FieldRule,
  integer,
  isClock,
  isPromise,
  systemClock,
  within,
} from "@framework/core/feature";

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

/** The rules of an `AnswerLimit`, for records of options. */
export const answerLimitRules: {
  readonly timeoutMs: FieldRule<number>;
  readonly clock: FieldRule<Clock>;
} = {
  timeoutMs: integer(TIMEOUT_MS, { min: 1, max: MAX_TIMEOUT_MS }),
  clock: checked<Clock>(systemClock, "a clock", isClock),
};

/** Waits for an answer; synchronous ones pass as they are. */
export interface AnswerWait {
  readonly timeoutMs: number;
  /** Returns the answer, or what `late` returns or throws. */
  of<T>(answer: Awaitable<T>, late: () => T): Awaitable<T>;
}

/** Creates the wait for answers within a limit. */
export const answerWait = ({ timeoutMs, clock }: Required<AnswerLimit>): AnswerWait => ({
  timeoutMs,
  of: (answer, late) =>
    isPromise(answer) ? within(Promise.resolve(answer), timeoutMs, clock, late) : answer,
});
