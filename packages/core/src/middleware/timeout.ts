import type { Clock } from "../runtime/clock.ts";
import { type ConfigRecord, configRecord } from "../config/config-record.ts";
import { decimal } from "../config/field-rules.ts";
import { HandlerTimeoutError } from "../errors/http-errors.ts";
import { type Awaitable, isPromise, type Middleware } from "./middleware.ts";
import { abortInput, discardBody } from "./outcome.ts";
import { holdingTimers } from "./wait.ts";

/** How long calls may take, and what happens then. */
export interface TimeoutOptions<In, Out> {
  /** Milliseconds that a call may take, from 1 to about 24 days. @default 30000 */
  readonly timeoutMs?: number;
  /** Answers in the place of a call that takes longer. @default throws a HandlerTimeoutError, status 504 */
  readonly refuse?: (timeoutMs: number, input: In) => Awaitable<Out>;
  /** Makes the work stop. @default calls the input's own `abort(error)`, if it has one */
  readonly abort?: (input: In, error: Error) => void;
  /** Frees an output that comes too late. @default cancels its body, if it has one */
  readonly discard?: (output: Out) => void;
  /** @default timers that keep the process alive */
  readonly clock?: Pick<Clock, "after">;
}

/** The longest delay that timers of JavaScript take. */
export const MAX_TIMEOUT_MS = 2_147_483_647;

const record: ConfigRecord<{ readonly timeoutMs: number }> = configRecord("TimeoutOptions", {
  timeoutMs: decimal(30_000, { min: 1, max: MAX_TIMEOUT_MS }),
});

/**
 * Bounds how long `next` may take: around outgoing calls, message handlers, commands and requests alike.
 *
 * Synchronous work stays synchronous and is not interrupted. The work itself goes on unless it watches the signal that `abort` aborts; its output is
 * discarded, and its error ignored.
 *
 * @example
 * const bounded = timeout<Order, Receipt>({ timeoutMs: 2000, refuse: () => ({ accepted: false }) });
 * const receipt = await bounded(order, charge);
 * @throws ConfigurationError CORE_BAD_CONFIG for a bad `timeoutMs`
 */
export const timeout = <In, Out>({
  timeoutMs: given,
  refuse,
  abort = abortInput,
  discard = discardBody,
  clock = holdingTimers,
}: TimeoutOptions<In, Out> = {}): Middleware<In, Out> => {
  const { timeoutMs } = record.of({ timeoutMs: given });
  const inTime = (output: Promise<Out>, input: In): Promise<Out> =>
    new Promise((resolve, reject) => {
      let isLate = false;
      const clear = clock.after(timeoutMs, () => {
        isLate = true;
        const error = new HandlerTimeoutError(timeoutMs / 1000);
        if (refuse === undefined) reject(error);
        else resolve(attempt(() => refuse(timeoutMs, input)));
        abort(input, error);
      });
      const arrived = (value: Out): void => {
        clear();
        if (isLate) discard(value);
        else resolve(value);
      };
      const failed = (error: unknown): void => {
        clear();
        reject(error); // changes nothing when it comes late
      };
      output.then(arrived, failed);
    });
  return function timeout(input, next) {
    const output = next(input);
    return isPromise(output) ? inTime(output, input) : output;
  };
};

/** A promise of what a call gives or throws. */
const attempt = async <T>(call: () => Awaitable<T>): Promise<T> => await call();
