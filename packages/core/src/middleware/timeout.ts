import { type Clock, MAX_TIMEOUT_MS } from "../runtime/clock.ts";
import { type ConfigRecord, configRecord } from "../config/config-record.ts";
import { decimal } from "../config/field-rules.ts";
import { requireOptions } from "../config/require-options.ts";
import { HandlerTimeoutError } from "../errors/http-errors.ts";
import type { Receiver } from "./lazy-promise.ts";
import { markHandled } from "./mark-handled.ts";
import { type Awaitable, isPromisedOutput, type Middleware } from "./middleware.ts";
import { abortInput, discardBody, free } from "./outcome.ts";
import { keepAliveTimers } from "./wait.ts";

/** Options of `timeout`. */
export interface TimeoutOptions<In, Out> {
  /** Maximum duration of a call in milliseconds, from 1 to 2,147,483,647 (about 24 days). @default 30000 */
  readonly timeoutMs?: number;
  /** Returns the output for a call that timed out. @default throws a HandlerTimeoutError, status 504 */
  readonly fallback?: (timeoutMs: number, input: In) => Awaitable<Out>;
  /** Called at the timeout to stop the work; an error that it throws rejects the call. @default calls the input's `abort(error)`, if it has one */
  readonly abort?: (input: In, error: Error) => void;
  /** Frees a late output; its errors are ignored. @default cancels its body, if it has one */
  readonly discard?: (output: Out) => void;
  /** Clock that times the deadline. @default timers that keep the process alive */
  readonly clock?: Pick<Clock, "after">;
}

const record: ConfigRecord<{ readonly timeoutMs: number }> = configRecord("TimeoutOptions", {
  timeoutMs: decimal(30_000, { min: 1, max: MAX_TIMEOUT_MS }),
});

/**
 * Returns a middleware that limits the duration of `next`: for outgoing calls, message handlers, commands and requests.
 *
 * Synchronous work stays synchronous and is not interrupted. Late work continues unless it observes the aborted signal; its output is discarded and its error
 * ignored.
 *
 * @example
 * const withTimeout = timeout<Order, Receipt>({ timeoutMs: 2000, fallback: () => ({ accepted: false }) });
 * const receipt = await withTimeout(order, charge);
 * @throws ConfigurationError CORE_BAD_CONFIG for a bad `timeoutMs`, an unknown option, or options that are not an object
 */
export const timeout = <In, Out>(options: TimeoutOptions<In, Out> = {}): Middleware<In, Out> => {
  const {
    timeoutMs: given,
    fallback,
    abort = abortInput,
    discard = discardBody,
    clock = keepAliveTimers,
  } = requireOptions("timeout", options, optionNames);
  const { timeoutMs } = record.of({ timeoutMs: given });
  const discardingReceiver: Receiver<Out> = { succeed: (output) => free(output, discard), fail: () => {} };
  return timeLimit({ timeoutMs, fallback, abort, clock, lateReceiver: () => discardingReceiver });
};

const optionNames: Readonly<Record<keyof TimeoutOptions<unknown, unknown>, true>> = {
  timeoutMs: true,
  fallback: true,
  abort: true,
  discard: true,
  clock: true,
};

/** Options of `timeLimit`. */
export interface TimeLimitParts<In, Out> {
  readonly timeoutMs: number;
  /** Remaining milliseconds for an input. @default `timeoutMs` */
  readonly remainingMs?: (input: In) => number;
  readonly fallback?: TimeoutOptions<In, Out>["fallback"];
  readonly abort?: (input: In, error: Error) => void;
  readonly clock?: Pick<Clock, "after">;
  /** The error of an input whose limit expires. @default a HandlerTimeoutError */
  readonly error?: (input: In) => Error;
  /** Called when the limit expires. Returns the receiver of the late output or error. */
  readonly lateReceiver: (input: In) => Receiver<Out>;
}

/** Like `timeout`, but the caller handles late outcomes. */
export const timeLimit = <In, Out>({
  timeoutMs,
  remainingMs = () => timeoutMs,
  fallback,
  abort = abortInput,
  clock = keepAliveTimers,
  error: errorOf = () => new HandlerTimeoutError(timeoutMs / 1000),
  lateReceiver,
}: TimeLimitParts<In, Out>): Middleware<In, Out> => {
  const inTime = (output: Promise<Out>, input: In): Promise<Out> =>
    new Promise((resolve, reject) => {
      let receiver: Receiver<Out> | null = null;
      const clear = clock.after(remainingMs(input), () => {
        receiver = lateReceiver(input);
        const error = errorOf(input);
        const outcome =
          fallback === undefined ? null : markHandled(attempt(() => fallback(timeoutMs, input)));
        try {
          abort(input, error);
        } catch (failure) {
          if (outcome !== null) void markHandled(outcome.then(receiver.succeed)); // its result is not used
          return reject(failure);
        }
        if (outcome === null) reject(error);
        else resolve(outcome);
      });
      const succeed = (value: Out): void => {
        clear();
        if (receiver === null) resolve(value);
        else receiver.succeed(value);
      };
      const fail = (error: unknown): void => {
        clear();
        if (receiver === null) reject(error);
        else receiver.fail(error);
      };
      output.then(succeed, fail);
    });
  return function timeout(input, next) {
    const output = next(input);
    return isPromisedOutput(output) ? inTime(output, input) : output;
  };
};

/** Calls a function and converts its result or error to a promise. */
const attempt = async <T>(call: () => Awaitable<T>): Promise<T> => await call();
