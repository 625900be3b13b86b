import { createHash } from "node:crypto";
import type { Awaitable } from "@framework/core";
import { type Clock, type Json, mapAwaitable, type SharedValues, systemClock } from "@framework/core/feature";
import type { TokenStore } from "./token-store.ts";

/** A store on shared values. Its content is lost when the service ends, unless the values are persistent. */
export interface SharedTokenStore extends TokenStore {
  /** Ends the subscription to revocations. */
  close(): void;
}

/** Options of `openSharedTokenStore`. */
export interface SharedTokenStoreOptions {
  /** Maximum number of ids with a consumed generation, and separately of revoked ids. Beyond it `consume` and `revoke` throw CORE_SHARED_STATE_FULL. @default 100000 */
  readonly maxLogins?: number;
  /** Clock for expiry times. @default the system clock */
  readonly clock?: Clock;
}

const CHANNEL = "auth:revocations";
const ANY_REVOKED = "auth:any-revoked";
/** Lifetime of the marker `ANY_REVOKED`: 100 years, longer than any token created here is valid. */
const MARKER_TTL_MS = 100 * 365 * 86_400_000;
/** Added to the expiry of a revoked id, so that it is greater than every generation and a later expiry is greater than an earlier one. */
const REVOKED = 2 ** 52;
/** Latest expiry in Unix seconds, below `REVOKED`. */
const MAX_EXPIRY = 2 ** 40;

/**
 * Opens the store. Each id has one entry that is never evicted: a number that only increases, with each consumed generation and finally with the revocation.
 * On one host it makes no lookups until the first revocation, which notifies every worker and leaves a marker for workers that start later. On values that
 * several hosts share it always looks up, since a host without a connection misses messages.
 *
 * @throws CORE_SHARED_STATE_FULL from `consume` and `revoke` when `maxLogins` other entries of the same kind exist
 */
export const openSharedTokenStore = async (
  values: SharedValues,
  { maxLogins: maxKeys = 100_000, clock = systemClock }: SharedTokenStoreOptions = {},
): Promise<SharedTokenStore> => {
  // Persistent values may be shared by hosts, and this host may miss a message while disconnected: always look up.
  let needsLookup = values.isPersistent;
  const close = values.subscribe(CHANNEL, () => void (needsLookup = true));
  if ((await values.get(ANY_REVOKED)) !== undefined) needsLookup = true;
  const ttlMs = (expiresAt: number): number => Math.max(1, expiresAt * 1000 - clock.date());
  return {
    close,
    async revoke(id, expiresAt) {
      const group = { group: "auth:revoked", maxKeys };
      const expiry = Math.min(MAX_EXPIRY, Math.max(0, Math.ceil(expiresAt)));
      await values.raise(keyOf(id), REVOKED + expiry, { ttlMs: ttlMs(expiresAt), ...group });
      await values.raise(ANY_REVOKED, 1, { ttlMs: MARKER_TTL_MS, group: ANY_REVOKED, maxKeys: 1 });
      await values.publish(CHANNEL, 1);
    },
    isRevoked: (id) => needsLookup && mapAwaitable(values.get(keyOf(id)), isRevocation),
    consume(id, generation, expiresAt): Awaitable<boolean> {
      const group = { group: "auth:logins", maxKeys };
      return values.raise(keyOf(id), generation, { ttlMs: ttlMs(expiresAt), ...group });
    },
  };
};

const isRevocation = (value: Json | undefined): boolean =>
  value !== undefined && !(typeof value === "number" && value < REVOKED);

/** Creates a key of fixed length, since ids are untrusted text. */
const keyOf = (id: string): string => `auth:${createHash("sha256").update(id).digest("base64url")}`;
