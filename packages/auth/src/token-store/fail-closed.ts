import { type Awaitable, FrameworkError, type HttpError, type Logger } from "@framework/core";
import { type Clock, throttledLog, withTimeout } from "@framework/core/feature";
import { unavailable } from "../errors.ts";
import type { TokenStore } from "./token-store.ts";

/** Options of `failClosed`. */
export interface FailClosedOptions {
  readonly log: () => Logger;
  readonly clock: Clock;
  /** Timeout of a call in milliseconds. @default none */
  readonly timeoutMs?: number;
}

/** Kind of a store's failure; each is logged and throttled separately. */
type Fault = "is full" | "failed" | "did not answer in time";

/**
 * Latest expiry passed to a store, in Unix seconds: the year 36812. A token of another issuer may have any expiry, and stores count milliseconds in
 * 64 bits or less.
 */
const LATEST_EXPIRY = 2 ** 40;

/** Wraps a store: failures become a 503, logged once a minute per kind; a result that is not a boolean refuses the token. */
export const failClosed = (store: TokenStore, { log, clock, timeoutMs }: FailClosedOptions): TokenStore => {
  const lines: Readonly<Record<Fault, ReturnType<typeof throttledLog>>> = {
    "is full": throttledLog({ clock }),
    failed: throttledLog({ clock }),
    "did not answer in time": throttledLog({ clock }),
  };
  const refusal = (fault: Fault, details: Readonly<Record<string, unknown>>): HttpError => {
    const message = `the token store ${fault} and the request was refused`;
    lines[fault]((omitted) => log().error(message, { ...details, omitted }));
    return unavailable(fault === "is full" ? "AUTH_STORE_FULL" : "AUTH_STORE_UNAVAILABLE", details["error"]);
  };
  const callStore = async <T>(call: () => Awaitable<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      throw refusal(isFull(error) ? "is full" : "failed", { error });
    }
  };
  const callInTime = <T>(call: () => Awaitable<T>): Promise<T> =>
    withTimeout(callStore(call), timeoutMs, clock, () => {
      throw refusal("did not answer in time", { timeoutMs });
    });
  return {
    revoke: (id, expiresAt) => callInTime(() => store.revoke(id, Math.min(expiresAt, LATEST_EXPIRY))),
    isRevoked: async (id) => (await callInTime(() => store.isRevoked(id))) !== false,
    consume: async (id, generation, expiresAt) =>
      (await callInTime(() => store.consume(id, generation, Math.min(expiresAt, LATEST_EXPIRY)))) === true,
  };
};

const isFull = (error: unknown): boolean =>
  FrameworkError.is(error) && error.code === "CORE_SHARED_STATE_FULL";
