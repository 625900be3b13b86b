import type { Awaitable } from "../../middleware/middleware.ts";

/** How the permits of a key come back after their use. */
export interface PermitRule {
  /**
   * `bucket`: evenly, `capacity` of them per `windowMs`, up to `capacity`. `window`: each one `windowMs` after its use, so no window ever holds more
   * than `capacity` uses; above 1,000 the moments of use may be rounded up to the ends of 64 steps of the window, never down.
   */
  readonly kind: "bucket" | "window";
  /** Permits of an unused key. */
  readonly capacity: number;
  readonly windowMs: number;
}

/**
 * Permits that a holder uses later without asking.
 *
 * A leased permit is neither free nor comes back before its use was reported. A lease that ends unreported counts as used at that moment, so a
 * holder that dies never lets more through. A holder has one lease of a key, and each call states it anew.
 */
export interface PermitLease {
  /** Identity of the holder: 1 to 64 characters, unique over all processes and lives of processes. */
  readonly holder: string;
  /** Leased permits that the holder keeps; the rest, as far as unused, is free again. */
  readonly hold: number;
  /** Age in milliseconds of each use since the last answered call. */
  readonly used: readonly number[];
  /** Most permits to lease on top. */
  readonly most: number;
  /** Part of the free permits that this call may take in all: spent, held and leased. */
  readonly share: number;
  /** Milliseconds until the whole lease ends. A holder that counts them from before its call never outlasts the lease. */
  readonly leaseMs: number;
}

/** A request for permits of a key. */
export interface PermitRequest {
  /** Permits to use now; as many are spent as are free, and 0 only reads. */
  readonly spend: number;
  readonly lease?: PermitLease;
}

/** What was spent, and what is left. */
export interface Spent {
  /** Permits used by this call. */
  readonly spent: number;
  /** Whole permits that are still free. */
  readonly free: number;
  /** Milliseconds until a permit is free, even if every lease is used up at its end; 0 when one is. */
  readonly waitMs: number;
  /** Milliseconds until all permits that are not leased are free. */
  readonly resetMs: number;
}

/** The answer to a request for permits. */
export interface PermitAnswer extends Spent {
  /** Permits added to the holder's lease. */
  readonly leased: number;
  /** Permits leased to other holders. */
  readonly elsewhere: number;
}

/** Permits without leases: each call spends by itself. Every `Permits` is one. */
export interface PermitStore {
  /**
   * Spends as many permits as are free, in one atomic step by the store's own clock; `spend: 0` only reads, and a denied permit costs nothing.
   *
   * Keys are texts of at most 512 characters. A key begins with all of `rule.capacity`; it is asked for with the same kind of rule, whose numbers
   * may change. It may be forgotten once all its permits are back.
   */
  take(key: string, rule: PermitRule, request: { readonly spend: number }): Awaitable<Spent>;
}

/**
 * Permits, shared by all workers. They have keys of their own, at most 100,000; the key unused for longest makes room: clients, who choose these
 * keys, cannot push out anything else.
 */
export interface Permits extends PermitStore {
  /** Spends permits of a key, as a `PermitStore` does, and leases some in the same step. A key all of whose permits are back is forgotten. */
  take(key: string, rule: PermitRule, request: PermitRequest): Awaitable<PermitAnswer>;
}
