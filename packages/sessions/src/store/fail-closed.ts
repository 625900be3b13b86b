import { type Awaitable, FrameworkError, type HttpError, type Logger } from "@framework/core";
import { type Clock, throttledLog, withTimeout } from "@framework/core/feature";
import { unavailable } from "../errors.ts";
import type { SessionStore } from "./session-store.ts";

/** Options of `failClosed`. */
export interface FailClosedOptions {
  readonly log: Logger;
  readonly clock: Clock;
  /** Timeout of a call, in milliseconds. */
  readonly timeoutMs: number;
}

/** Wraps a store: failures and timeouts become a 503, logged once a minute. */
export const failClosed = (
  store: SessionStore,
  { log, clock, timeoutMs }: FailClosedOptions,
): SessionStore => {
  const logThrottled = throttledLog({ clock });
  const refusal = (fault: string, error?: unknown): HttpError => {
    const isFull = FrameworkError.is(error) && error.code === "CORE_SHARED_STATE_FULL";
    const message = `the session store ${isFull ? "is full" : fault} and the request was refused`;
    logThrottled((omitted) => log.error(message, { error, omitted }));
    return unavailable(isFull ? "SESSIONS_FULL" : "SESSIONS_UNAVAILABLE", error);
  };
  const callStore = async <T>(call: () => Awaitable<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      throw refusal("failed", error);
    }
  };
  const callWithTimeout = <T>(call: () => Awaitable<T>): Promise<T> =>
    withTimeout(callStore(call), timeoutMs, clock, () => {
      throw refusal("did not answer in time");
    });
  return {
    read: (key) => callWithTimeout(() => store.read(key)),
    write: (key, content, options) => callWithTimeout(() => store.write(key, content, options)),
    end: (key, ttlMs, version) => callWithTimeout(() => store.end(key, ttlMs, version)),
    number: (key) => callWithTimeout(() => store.number(key)),
    raise: (key, value, ttlMs) => callWithTimeout(() => store.raise(key, value, ttlMs)),
  };
};
