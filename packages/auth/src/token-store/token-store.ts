import type { Awaitable } from "@framework/core";

/**
 * Port for revoked ids, and for the consumed generations of refresh tokens. `@framework/auth/testing` has its contract suite.
 *
 * Ids are non-empty strings of any characters, which `revoke` and `consume` share. They contain claims of tokens of up to 8 KiB: a store with bounded keys must hash
 * them. An entry must be kept until its latest `expiresAt`, in Unix seconds and at most 2^40, and may be dropped afterwards, because its tokens have expired. Once
 * `revoke` has resolved, `isRevoked` is true in every worker. A store that cannot answer, or has no room for an entry, throws, and the request is refused with 503, as
 * after `storeTimeoutMs`.
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
