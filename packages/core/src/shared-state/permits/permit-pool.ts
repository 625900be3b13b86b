import type { PermitRule } from "./permits.ts";

/** The permits of one key that are not leased, and when used ones come back. Times are milliseconds of one monotonic clock. */
export interface PermitPool {
  readonly kind: PermitRule["kind"];
  /** How many numbers it keeps, for the bound on memory. */
  readonly size: number;
  /** Lets permits come back up to a moment, while `leased` are leased. */
  advance(rule: PermitRule, now: number, leased: number): void;
  /** Whole free permits while `leased` are leased. */
  free(rule: PermitRule, leased: number): number;
  /** Uses free permits at the moment of the last `advance`. */
  spend(rule: PermitRule, count: number): void;
  /** Takes free permits out, to be leased. */
  leaseOut(count: number): void;
  /** Puts leased permits back that were not used. */
  giveBack(count: number): void;
  /** Records that leased permits were used at a moment. */
  report(rule: PermitRule, count: number, at: number): void;
  /** Milliseconds until `missing` more permits are free, `Infinity` while too many are leased. */
  waitFor(rule: PermitRule, missing: number, leased: number): number;
  /** Milliseconds until all permits that are not leased are free. */
  resetMs(rule: PermitRule): number;
}
