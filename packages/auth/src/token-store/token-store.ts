import type { Awaitable } from "@framework/core";

/**
 * Remembers which tokens are no longer good: the port behind revocation and refresh. `@framework/auth/testing` has its contract suite.
 *
 * Ids are texts of 1 to 256 characters of any kind. Nothing has to be remembered after `expiresAt`, in seconds since 1970, because the token is
 * refused anyway from then on. When `revoke` has resolved, `isRevoked` says so everywhere. A store that cannot tell throws: nobody is let in then.
 */
export interface TokenStore {
  /** Notes that an id is good no longer; the later of two expiries counts. */
  revoke(id: string, expiresAt: number): Awaitable<void>;
  isRevoked(id: string): Awaitable<boolean>;
  /** Uses an id up: true for the first who asks, false for all after; of those who ask at once, one is first. */
  consume(id: string, expiresAt: number): Awaitable<boolean>;
}
