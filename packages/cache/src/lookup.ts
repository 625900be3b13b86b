import type { Awaitable, HttpRequest } from "@framework/core";
import { mapAwaitable } from "@framework/core/feature";
import { variantKey } from "./cache-key.ts";
import type { StoredReply } from "./store/cache-store.ts";
import type { GuardedStore } from "./store/guarded-store.ts";

/** The place of a request's reply in the store, and the stored reply, if any. */
export interface Place {
  readonly key: string;
  /** Request fields that replies under the request's key depend on. */
  readonly names: readonly string[];
  /** Expiry of this knowledge, in milliseconds of the cache's clock. */
  readonly namesUntilMs: number;
  readonly entry: StoredReply | undefined;
}

const none: readonly string[] = [];

/** Finds the stored reply to a request by its key and the fields of `Vary` (RFC 9111 4.1). */
export const lookUp = (store: GuardedStore, key: string, request: HttpRequest): Awaitable<Place> =>
  mapAwaitable(store.get(key), (found) => {
    if (found?.kind !== "varies") return { key, names: none, namesUntilMs: 0, entry: found };
    const { names, untilMs } = found;
    const own = variantKey(key, names, request);
    return mapAwaitable(store.get(own), (variant) => ({
      key: own,
      names,
      namesUntilMs: untilMs,
      entry: variant?.kind === "reply" ? variant : undefined,
    }));
  });
