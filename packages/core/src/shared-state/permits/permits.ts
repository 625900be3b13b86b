import type { Awaitable } from "../../middleware/middleware.ts";

/** The replenishment rule of a key's permits. */
export interface PermitRule {
  /**
   * `bucket`: permits return evenly, `capacity` per `windowMs`, up to `capacity`. `window`: each returns `windowMs` after its use, so no window holds
   * more than `capacity` uses; with a capacity above 1,000 the times of use may be rounded up to the ends of 64 steps of the window, never down.
   */
  readonly kind: "bucket" | "window";
  /** Permits of an unused key. */
  readonly capacity: number;
  /** Milliseconds of the window. */
  readonly windowMs: number;
}

/**
 * Permits reserved for a holder, which spends them without further calls.
 *
 * A leased permit is not free until the holder returns it or reports its use. A lease that expires without a report counts as used at its expiry, so a holder
 * that exits cannot cause an excess of the limit. A holder has one lease per key, which each call renews.
 */
export interface PermitLease {
  /** Identity of the holder: 1 to 64 characters, unique across processes and their restarts. */
  readonly holder: string;
  /** Leased permits that the holder keeps; the unused rest is free again. */
  readonly hold: number;
  /** Age in milliseconds of each use since the last successful call. */
  readonly used: readonly number[];
  /** Maximum number of permits to add to the lease. */
  readonly max: number;
  /** Fraction of the free permits that this call may take in total: spent, held and leased. */
  readonly share: number;
  /** Milliseconds until the whole lease expires. A holder must start counting them before its call, so that it never uses an expired lease. */
  readonly leaseMs: number;
  /**
   * Whether the lease also ends when the holder's process exits, if the store notices the exit, as the primary process does: unreported permits then count as
   * used. So a lease may be longer than any pause of a busy process. @default false
   */
  readonly endsAtExit?: boolean;
}

/** A request for permits of a key. */
export interface PermitRequest {
  /** Permits to spend now, limited to the free permits; 0 only reads. */
  readonly spend: number;
  /** Lease of permits for later use. */
  readonly lease?: PermitLease;
}

/** Spent and remaining permits. */
export interface SpendResult {
  /** Permits spent by this call. */
  readonly spent: number;
  /** Remaining whole free permits. */
  readonly free: number;
  /** Milliseconds until a permit is free, assuming that every lease is used up at its expiry; 0 when one is free. */
  readonly waitMs: number;
  /** Milliseconds until all unleased permits are free. */
  readonly resetMs: number;
}

/** The result of a request for permits. */
export interface PermitResult extends SpendResult {
  /** Permits added to the holder's lease. */
  readonly leased: number;
  /** Permits leased to other holders. */
  readonly elsewhere: number;
}

/** Permits without leases. Every `Permits` is a `PermitStore`. */
export interface PermitStore {
  /**
   * Atomically spends up to `spend` free permits, by the store's clock. `spend: 0` only reads; denied permits are not counted.
   *
   * Keys have at most 512 characters. A new key has `rule.capacity` permits. Every call for a key must use the same kind of rule; its numbers may
   * change. The store may drop a key once all its permits are back.
   */
  take(key: string, rule: PermitRule, request: { readonly spend: number }): Awaitable<SpendResult>;
}

/**
 * Permits, shared by all workers. They have separate keys, by default at most 100,000; the least recently used key is evicted. So keys that clients choose
 * cannot evict values or totals.
 */
export interface Permits extends PermitStore {
  /** Spends permits like a `PermitStore` and leases permits in the same step. A key is dropped once all its permits are back. */
  take(key: string, rule: PermitRule, request: PermitRequest): Awaitable<PermitResult>;
}
