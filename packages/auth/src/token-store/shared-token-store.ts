import { createHash } from "node:crypto";
import type { Awaitable } from "@framework/core";
import { mapAwaitable, type SharedValues } from "@framework/core/feature";
import type { TokenStore } from "./token-store.ts";

/** A store on the state that all workers of one host share; its content is lost when the service ends. */
export interface SharedTokenStore extends TokenStore {
  /** Stops listening. */
  close(): void;
}

const channel = "auth:revocations";
const anyRevoked = "auth:any-revoked";
/** Milliseconds that the marker outlives every token, so that it expires last. */
const keptMs = 100 * 365 * 86_400_000;

/**
 * Opens the store. It makes no lookups until the first revocation, which notifies every worker and leaves a marker for workers that start later.
 *
 * @param options.now milliseconds since 1970. @default Date.now
 */
export const openSharedTokenStore = async (
  values: SharedValues,
  { now = Date.now }: { readonly now?: () => number } = {},
): Promise<SharedTokenStore> => {
  let asks = false;
  const close = values.subscribe(channel, () => void (asks = true));
  if ((await values.get(anyRevoked)) !== undefined) asks = true;
  const ttlMs = (expiresAt: number): number => Math.max(1, expiresAt * 1000 - now());
  return {
    close,
    async revoke(id, expiresAt) {
      const key = keyOf("revoked", id);
      const known = await values.get(key);
      if (typeof known === "number" && known >= expiresAt) return;
      await values.set(key, expiresAt, { ttlMs: ttlMs(expiresAt) });
      await values.set(anyRevoked, 1, { ttlMs: keptMs });
      await values.publish(channel, 1);
    },
    isRevoked(id): Awaitable<boolean> {
      return asks && mapAwaitable(values.get(keyOf("revoked", id)), (known) => known !== undefined);
    },
    consume: (id, expiresAt) => values.set(keyOf("used", id), 1, { ttlMs: ttlMs(expiresAt), ifAbsent: true }),
  };
};

/** Creates a key of fixed length, since ids are untrusted text. */
const keyOf = (kind: string, id: string): string =>
  `auth:${kind}:${createHash("sha256").update(id).digest("base64url")}`;
