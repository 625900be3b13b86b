/** How permits of a key come back after they were used. */
export interface PermitRule {
  /**
   * `bucket`: evenly, `capacity` of them per `windowMs`, up to `capacity`. `window`: each one `windowMs` after it was used, so that no window ever
   * holds more than `capacity`; above 1,000 the moments of use are kept in 64 steps of the window, and a permit comes back at the end of its step.
   */
  readonly kind: "bucket" | "window";
  /** Permits of a key that nobody has used yet. */
  readonly capacity: number;
  readonly windowMs: number;
}

/**
 * Permits in reserve for somebody who uses them later without asking.
 *
 * A permit on loan is neither free nor comes back before its use was told. A loan that ends untold counts as used at that moment, so whoever dies
 * with one never lets more through. A borrower has one loan of a key, and each call states it anew.
 */
export interface PermitLoan {
  /** Who borrows: 1 to 64 characters, unique over all processes and lives of processes. */
  readonly holder: string;
  /** Permits that the holder keeps of its loan; what it neither keeps nor used is free again. */
  readonly hold: number;
  /** Age in milliseconds of each use since the last call that was answered. */
  readonly used: readonly number[];
  /** Most permits to borrow on top. */
  readonly most: number;
  /** Part of the free permits that the caller may have in this call, its spending and what it holds included. */
  readonly share: number;
  /** Milliseconds until the whole loan ends; a holder that metrics them from before its call never outlasts it. */
  readonly loanMs: number;
}

/** What is asked of a key's permits. */
export interface PermitAsk {
  /** Permits to use now; as many are spent as are free, and 0 only looks. */
  readonly spend: number;
  readonly loan?: PermitLoan;
}

/** What a call of `take` gave, and what is left. */
export interface Permits {
  /** Permits used by this call. */
  readonly spent: number;
  /** Permits added to the holder's loan. */
  readonly lent: number;
  /** Whole permits that are still free. */
  readonly free: number;
  /** Permits on loan to others. */
  readonly elsewhere: number;
  /** Milliseconds until a permit is free, even if every loan is used up at its end; 0 when one is. */
  readonly waitMs: number;
  /** Milliseconds until all permits that are not on loan are free. */
  readonly resetMs: number;
}
