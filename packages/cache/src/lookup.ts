import type { Awaitable, HttpRequest } from "@framework/core";
import { mapAwaitable } from "@framework/core/feature";
import { variantKey } from "./cache-key.ts";
import type { StoredReply } from "./store/cache-store.ts";
import type { GuardedStore } from "./store/guarded-store.ts";

/** Where the reply to a request stands in the store, and the reply if there is one. */
export interface Place {
  readonly key: string;
  /** Request fields on which replies under the request's key depend. */
  readonly names: readonly string[];
  /** Until when it is known that they do, in milliseconds of the cache's clock. */
  readonly namesUntilMs: number;
  readonly entry: StoredReply | undefined;
}

const none: readonly string[] = [];

/** Finds the stored reply to a request by its key and by the fields that the `Vary` of stored replies names (RFC 9111 4.1). */
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
