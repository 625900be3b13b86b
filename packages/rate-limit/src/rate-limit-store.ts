import type { Awaitable } from "@framework/core";

/** How the permits of a key come back after they were used. */
export interface PermitRule {
  /**
   * `bucket`: evenly, `capacity` of them per `windowMs`, up to `capacity`. `window`: each one `windowMs` after it was used, so that no window ever
   * holds more than `capacity`; above 1,000 the moments of use may be rounded up to the ends of 64 steps of the window, never down.
   */
  readonly kind: "bucket" | "window";
  /** Permits of a key that nobody has used yet. */
  readonly capacity: number;
  readonly windowMs: number;
}

/** What a call of `take` gave, and what is left. */
export interface PermitAnswer {
  /** Permits used by this call. */
  readonly spent: number;
  /** Whole permits that are still free. */
  readonly free: number;
  /** Milliseconds until the next permit is free if nobody else takes it; 0 while one is. */
  readonly waitMs: number;
  /** Milliseconds until all permits are free again. */
  readonly resetMs: number;
}

/**
 * Where the permits of a rate limit are kept: the port of `RateLimitConfig.store`. Every adapter of core's `SharedState` is one.
 *
 * Its promises are tested by `rateLimitStoreContract` of `@framework/rate-limit/testing`.
 */
export interface RateLimitStore {
  /**
   * Spends as many of `spend` permits as are free, in one atomic step by the store's own clock; 0 only looks, and what is refused costs nothing.
   *
   * Keys are texts of at most 512 characters. A key begins with all of `rule.capacity`, is asked for with the same kind of rule, whose figures may
   * change, and may be forgotten once all its permits are back.
   */
  take(key: string, rule: PermitRule, ask: { readonly spend: number }): Awaitable<PermitAnswer>;
}
