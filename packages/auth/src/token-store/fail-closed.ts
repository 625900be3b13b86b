import { type Awaitable, FrameworkError, type HttpError, type Logger } from "@framework/core";
import { type Clock, throttledLog } from "@framework/core/feature";
import { unavailable } from "../errors.ts";
import type { TokenStore } from "./token-store.ts";

/** Returns a store whose failures are 503 and logged once a minute; an answer that is not a boolean refuses the token. */
export const failClosed = (store: TokenStore, log: () => Logger, clock: Pick<Clock, "now">): TokenStore => {
  const full = throttledLog({ clock });
  const failed = throttledLog({ clock });
  const refusal = (error: unknown): HttpError => {
    const isFull = FrameworkError.is(error) && error.code === "CORE_SHARED_STATE_FULL";
    const message = `the token store ${isFull ? "is full" : "failed"} and the request was refused`;
    (isFull ? full : failed)((omitted) => log().error(message, { error, omitted }));
    return unavailable(isFull ? "AUTH_STORE_FULL" : "AUTH_STORE_UNAVAILABLE", error);
  };
  const asked = async <T>(call: () => Awaitable<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      throw refusal(error);
    }
  };
  return {
    revoke: (id, expiresAt) => asked(() => store.revoke(id, expiresAt)),
    isRevoked: async (id) => (await asked(() => store.isRevoked(id))) !== false,
    consume: async (id, generation, expiresAt) =>
      (await asked(() => store.consume(id, generation, expiresAt))) === true,
  };
};
