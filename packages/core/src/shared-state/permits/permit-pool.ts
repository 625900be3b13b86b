import type { PermitRule } from "./permits.ts";

/** The unleased permits of one key and their replenishment. Times are milliseconds of one monotonic clock. */
export interface PermitPool {
  readonly kind: PermitRule["kind"];
  /** Count of stored numbers, for the bound on memory. */
  readonly size: number;
  /** Replenishes permits up to `now`, while `leased` are leased. */
  advance(rule: PermitRule, now: number, leased: number): void;
  /** Returns the number of whole free permits while `leased` are leased. */
  free(rule: PermitRule, leased: number): number;
  /** Spends free permits at the time of the last `advance`. */
  spend(rule: PermitRule, count: number): void;
  /** Removes free permits that are now leased. */
  leaseOut(count: number): void;
  /** Returns unused leased permits to the pool. */
  giveBack(count: number): void;
  /** Records the use of leased permits at a time. */
  report(rule: PermitRule, count: number, at: number): void;
  /** Returns the milliseconds until `missing` more permits are free, `Infinity` while too many are leased. */
  waitFor(rule: PermitRule, missing: number, leased: number): number;
  /** Returns the milliseconds until all unleased permits are free. */
  resetMs(rule: PermitRule): number;
}
