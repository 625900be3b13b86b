import type { Clock } from "../runtime/clock.ts";
import type { ConfigInput } from "../config/config-record.ts";
import { requireOptions } from "../config/require-options.ts";
import { type Awaitable, isPromise, type Middleware } from "./middleware.ts";
import { discardBody, failureStatuses, free, isFailureOfCallee, signalOf, statusOf } from "./outcome.ts";
import { retryDelayMs, type RetryPolicy, retryPolicy } from "./retry-policy.ts";
import { keepAliveTimers, wait } from "./wait.ts";

/** The failure of one attempt: an output that counts as a failure, or an error. */
export type AttemptFailure<Out> = { readonly output: Out } | { readonly error: unknown };

/** Options of `retry`. */
export interface RetryOptions<In, Out> {
  /** Number of attempts and delays between them. @default 3 attempts, with delays of up to 100 ms and 200 ms */
  readonly policy?: ConfigInput<RetryPolicy>;
  /** Whether an output is a failure. @default its `status` is 500, 502, 503 or 504 */
  readonly isFailure?: (output: Out, input: In) => boolean;
  /** Whether an error is retried; other errors are thrown at once. @default every error, except if the caller ended the call or the call was never made */
  readonly isFailingError?: (error: unknown, input: In) => boolean;
  /** Minimum delay that the callee requests, such as Retry-After, in milliseconds. A value above the policy's `maxDelayMs` ends the attempts. @default none */
  readonly retryAfterMs?: (output: Out) => number | null;
  /**
   * Called after the last attempt, also if `signal` ended the attempts; it must free `last.output` unless it returns it.
   *
   * @default returns the last output or throws the last error
   */
  readonly fallback?: (attempts: number, input: In, last: AttemptFailure<Out>) => Awaitable<Out>;
  /** Frees an output before the next attempt; its errors are ignored. @default cancels its body, if it has one */
  readonly discard?: (output: Out) => void;
  /** Ends the wait and the attempts. @default the input's `signal`, if it has one */
  readonly signal?: (input: In) => AbortSignal | undefined;
  /** Clock that times the waits. @default timers that keep the process alive */
  readonly clock?: Pick<Clock, "after">;
  /** A number from 0 up to 1. @default Math.random */
  readonly random?: () => number;
}

/**
 * Returns a middleware that calls `next` again after a failure: for outgoing calls, message handlers, commands and requests.
 *
 * Synchronous work stays synchronous if the first attempt succeeds. Retry only idempotent work: `isFailure` and `isFailingError` receive the input for this.
 *
 * @example
 * const withRetry = retry<Order, Receipt>({ policy: { attempts: 5 }, isFailure: (receipt) => !receipt.accepted });
 * const receipt = await withRetry(order, charge);
 * @throws ConfigurationError CORE_BAD_CONFIG for a bad policy, an unknown option, or options that are not an object
 */
export const retry = <In, Out>(options: RetryOptions<In, Out> = {}): Middleware<In, Out> => {
  const {
    policy: ownPolicy,
    isFailure = (output: Out) => failureStatuses.includes(statusOf(output)),
    isFailingError = isFailureOfCallee,
    retryAfterMs = () => null,
    fallback = rethrow,
    discard = discardBody,
    signal: signalFor = signalOf,
    clock = keepAliveTimers,
    random = Math.random,
  } = requireOptions("retry", options, optionNames);
  const policy = retryPolicy(ownPolicy);
  /** Returns the milliseconds until the next attempt, `null` after the last. */
  const delayAfter = (attempt: number, failure: AttemptFailure<Out>): number | null => {
    if (attempt >= policy.attempts) return null;
    const requestedMs = ("output" in failure && retryAfterMs(failure.output)) || 0; // 0 also for NaN, such as from a Retry-After that is a date
    return requestedMs > policy.maxDelayMs
      ? null
      : Math.max(requestedMs, retryDelayMs(policy, attempt, random()));
  };
  return function retry(input, next) {
    const attempt = (number: number): Awaitable<Out> => {
      const again = (failure: AttemptFailure<Out>): Awaitable<Out> => {
        const delayMs = delayAfter(number, failure);
        if (delayMs === null) return fallback(number, input, failure);
        const proceed = (): Awaitable<Out> => {
          if ("output" in failure) free(failure.output, discard);
          return attempt(number + 1);
        };
        if (delayMs === 0 && signalFor(input)?.aborted !== true) return proceed();
        return wait(clock, delayMs, signalFor(input)).then((isOver) =>
          isOver ? proceed() : fallback(number, input, failure),
        );
      };
      const check = (output: Out): Awaitable<Out> => (isFailure(output, input) ? again({ output }) : output);
      const fail = (error: unknown): Awaitable<Out> => {
        if (isFailingError(error, input)) return again({ error });
        throw error;
      };
      let output: Awaitable<Out>;
      try {
        output = next(input);
      } catch (error) {
        return fail(error);
      }
      return isPromise(output) ? output.then(check, fail) : check(output);
    };
    return attempt(1);
  };
};

const optionNames: Readonly<Record<keyof RetryOptions<unknown, unknown>, true>> = {
  policy: true,
  isFailure: true,
  isFailingError: true,
  retryAfterMs: true,
  fallback: true,
  discard: true,
  signal: true,
  clock: true,
  random: true,
};

const rethrow = <In, Out>(_attempts: number, _input: In, last: AttemptFailure<Out>): Out => {
  if ("output" in last) return last.output;
  throw last.error;
};
