import type { Awaitable, HttpRequest } from "@framework/core";
import { mapAwaitable } from "@framework/core/feature";
import { variantKey } from "./cache-key.ts";
import { equalVariantKeys } from "./equal-variants.ts";
import type { StoredReply } from "./store/cache-store.ts";
import type { GuardedStore } from "./store/guarded-store.ts";

/** The result of a lookup: the key of a request's reply in the store, and the stored reply, if any. */
export interface Lookup {
  readonly key: string;
  /** Request fields that replies under the request's key depend on. */
  readonly names: readonly string[];
  /** Expiry of `names`, in milliseconds of the cache's clock. */
  readonly namesUntilMs: number;
  readonly entry: StoredReply | undefined;
  /** Without an entry: the stored reply to a request with equivalent fields in another spelling, if any. */
  readonly equal: StoredReply | undefined;
}

const none: readonly string[] = [];

/** Finds the stored reply to a request by its key and the fields of `Vary` (RFC 9111 4.1). */
export const lookUp = (store: GuardedStore, key: string, request: HttpRequest): Awaitable<Lookup> =>
  mapAwaitable(store.get(key), (found) => {
    if (found?.kind !== "varies")
      return { key, names: none, namesUntilMs: 0, entry: found, equal: undefined };
    const { names, untilMs } = found;
    const own = variantKey(key, names, request);
    return mapAwaitable(store.get(own), (variant) => {
      const lookup = { key: own, names, namesUntilMs: untilMs };
      const entry = variant?.kind === "reply" ? variant : undefined;
      if (entry !== undefined) return { ...lookup, entry, equal: undefined };
      const others = firstOf(store, equalVariantKeys(key, names, request));
      return mapAwaitable(others, (equal) => ({ ...lookup, entry: undefined, equal }));
    });
  });

const firstOf = (store: GuardedStore, [key, ...others]: readonly string[]): Awaitable<Lookup["equal"]> =>
  key === undefined
    ? undefined
    : mapAwaitable(store.get(key), (found) => (found?.kind === "reply" ? found : firstOf(store, others)));
