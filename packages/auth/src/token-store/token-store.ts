import type { Awaitable } from "@framework/core";

/**
 * Port for revoked and consumed token ids. `@framework/auth/testing` has its contract suite.
 *
 * Ids are strings of 1 to 256 characters of any kind. An entry may be dropped after `expiresAt`, in seconds since 1970, because the token has expired
 * by then. Once `revoke` has resolved, `isRevoked` is true in every worker. A store that cannot answer throws, and the request is refused.
 */
export interface TokenStore {
  /** Revokes an id; the later of two expiries counts. */
  revoke(id: string, expiresAt: number): Awaitable<void>;
  isRevoked(id: string): Awaitable<boolean>;
  /** Atomically consumes an id. True for exactly one caller. */
  consume(id: string, expiresAt: number): Awaitable<boolean>;
}
