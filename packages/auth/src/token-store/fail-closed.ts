import { type Awaitable, FrameworkError, type HttpError, type Logger } from "@framework/core";
import { type Clock, throttledLog, within } from "@framework/core/feature";
import { unavailable } from "../errors.ts";
import type { TokenStore } from "./token-store.ts";

/** How a store is guarded. */
export interface FailClosedOptions {
  readonly log: () => Logger;
  readonly clock: Clock;
  /** Milliseconds after which a call without an answer has failed. @default the store's own limit */
  readonly timeoutMs?: number;
}

/** What is wrong with a store: each has log lines of its own. */
type Fault = "is full" | "failed" | "did not answer in time";

/**
 * Latest expiry that a store gets, in seconds since 1970: the year 36812. A token of another issuer may have any number, and stores count milliseconds in
 * 64 bits or less.
 */
const LATEST_EXPIRY = 2 ** 40;

/** Returns a store whose failures are 503 and logged once a minute for each fault; an answer that is not a boolean refuses the token. */
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
  const answered = async <T>(call: () => Awaitable<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      throw refusal(isFull(error) ? "is full" : "failed", { error });
    }
  };
  const asked = <T>(call: () => Awaitable<T>): Promise<T> =>
    within(answered(call), timeoutMs, clock, () => {
      throw refusal("did not answer in time", { timeoutMs });
    });
  return {
    revoke: (id, expiresAt) => asked(() => store.revoke(id, Math.min(expiresAt, LATEST_EXPIRY))),
    isRevoked: async (id) => (await asked(() => store.isRevoked(id))) !== false,
    consume: async (id, generation, expiresAt) =>
      (await asked(() => store.consume(id, generation, Math.min(expiresAt, LATEST_EXPIRY)))) === true,
  };
};

const isFull = (error: unknown): boolean =>
  FrameworkError.is(error) && error.code === "CORE_SHARED_STATE_FULL";
