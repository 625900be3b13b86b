import type { Awaitable } from "@framework/core";

/**
 * Port for revoked ids, and for the generations of refresh tokens that were used. `@framework/auth/testing` has its contract suite.
 *
 * Ids are strings of 1 to 256 characters of any kind; `revoke` and `consume` share them. An entry must be kept until its latest `expiresAt`, in Unix
 * seconds and at most 2^40, and may be dropped afterwards, because its tokens have expired. Once `revoke` has resolved, `isRevoked` is true in every worker. A store that
 * cannot answer, or has no room for an entry, throws, and the request is refused with 503, as after `storeTimeoutMs`.
 */
export interface TokenStore {
  /** Revokes an id; the later of two expiries applies. */
  revoke(id: string, expiresAt: number): Awaitable<void>;
  /** Whether an id is revoked. */
  isRevoked(id: string): Awaitable<boolean>;
  /**
   * Atomically consumes a generation of an id: a whole number from 0 to 2^40. True for exactly one caller, and only if no later generation was consumed and
   * the id was not revoked. Needs one entry per id.
   */
  consume(id: string, generation: number, expiresAt: number): Awaitable<boolean>;
}
