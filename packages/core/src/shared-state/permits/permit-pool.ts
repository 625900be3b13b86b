import type { PermitRule } from "./permits.ts";

/** The permits of one key that are not on loan, and when used ones come back. Times are milliseconds of one monotonic clock. */
export interface PermitPool {
  readonly kind: PermitRule["kind"];
  /** Numbers that it keeps, for the bound on memory. */
  readonly size: number;
  /** Lets permits come back up to a moment, while `lent` are on loan. */
  advance(rule: PermitRule, now: number, lent: number): void;
  /** Whole free permits while `lent` are on loan. */
  free(rule: PermitRule, lent: number): number;
  /** Uses free permits at the moment of the last `advance`. */
  spend(rule: PermitRule, count: number): void;
  /** Takes free permits out, to be lent. */
  lend(count: number): void;
  /** Takes permits back that were lent and not used. */
  giveBack(count: number): void;
  /** Learns that lent permits were used at a moment. */
  told(rule: PermitRule, count: number, at: number): void;
  /** Milliseconds until `missing` more permits are free, `Infinity` while too many are on loan. */
  waitFor(rule: PermitRule, missing: number, lent: number): number;
  /** Milliseconds until all that are not on loan are free. */
  resetMs(rule: PermitRule): number;
}
