import type { Awaitable } from "@framework/core";
import {
  checked,
  type Clock,
  type FieldRule,
  integer,
  isClock,
  isPromise,
  systemClock,
  withTimeout,
} from "@framework/core/feature";

/** Timeout of a callback that the program supplies, such as a database lookup. */
export interface CallbackTimeout {
  /** Timeout of a call in milliseconds, at most 600,000. @default 30000 */
  readonly timeoutMs?: number;
  /** Clock of the timeout, for tests. @default the system clock */
  readonly clock?: Clock;
}

/** Longer than the hashes of a full password queue (100) take on a busy machine. */
const TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 600_000;

/** Validation rules of `CallbackTimeout`, for option records. */
export const callbackTimeoutRules: {
  readonly timeoutMs: FieldRule<number>;
  readonly clock: FieldRule<Clock>;
} = {
  timeoutMs: integer(TIMEOUT_MS, { min: 1, max: MAX_TIMEOUT_MS }),
  clock: checked<Clock>(systemClock, "a clock", isClock),
};

/** Applies a timeout to promises; returns synchronous results unchanged. */
export interface CallbackTimer {
  readonly timeoutMs: number;
  /** Returns the result of a call. At the timeout, the result of `onTimeout`, or its error, replaces it. */
  limit<T>(result: Awaitable<T>, onTimeout: () => T): Awaitable<T>;
}

/** Creates the timer of a callback. */
export const createCallbackTimer = ({ timeoutMs, clock }: Required<CallbackTimeout>): CallbackTimer => ({
  timeoutMs,
  limit: (result, onTimeout) =>
    isPromise(result) ? withTimeout(Promise.resolve(result), timeoutMs, clock, onTimeout) : result,
});
