import { type Awaitable, FrameworkError, type HttpError, type Logger } from "@framework/core";
import { type Clock, throttledLog, within } from "@framework/core/feature";
import { unavailable } from "../errors.ts";
import type { SessionStore } from "./session-store.ts";

/** How a store is guarded. */
export interface FailClosedOptions {
  readonly log: Logger;
  readonly clock: Clock;
  /** Milliseconds after which a call without an answer has failed. */
  readonly timeoutMs: number;
}

/** Returns a store whose failures and late answers are 503, logged once a minute. */
export const failClosed = (
  store: SessionStore,
  { log, clock, timeoutMs }: FailClosedOptions,
): SessionStore => {
  const logSometimes = throttledLog({ clock });
  const refusal = (fault: string, error?: unknown): HttpError => {
    const isFull = FrameworkError.is(error) && error.code === "CORE_SHARED_STATE_FULL";
    const message = `the session store ${isFull ? "is full" : fault} and the request was refused`;
    logSometimes((omitted) => log.error(message, { error, omitted }));
    return unavailable(isFull ? "SESSIONS_FULL" : "SESSIONS_UNAVAILABLE", error);
  };
  const answered = async <T>(call: () => Awaitable<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      throw refusal("failed", error);
    }
  };
  const asked = <T>(call: () => Awaitable<T>): Promise<T> =>
    within(answered(call), timeoutMs, clock, () => {
      throw refusal("did not answer in time");
    });
  return {
    read: (key) => asked(() => store.read(key)),
    write: (key, content, options) => asked(() => store.write(key, content, options)),
    end: (key, ttlMs, version) => asked(() => store.end(key, ttlMs, version)),
    number: (key) => asked(() => store.number(key)),
    raise: (key, value, ttlMs) => asked(() => store.raise(key, value, ttlMs)),
  };
};
