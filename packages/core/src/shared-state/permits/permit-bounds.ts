import type { PermitRequest, PermitLease, PermitRule } from "./permits.ts";
import { badOption, checkKey } from "../values/state-bounds.ts";

/** Maximum number of permits added by one lease, and uses reported by one call. */
export const MAX_LEASE = 1024;

/** Checks a call of `take`. @throws CORE_SHARED_STATE_BAD_KEY, CORE_SHARED_STATE_BAD_OPTION */
export const checkPermits = (key: string, rule: PermitRule, { spend, lease }: PermitRequest): void => {
  checkKey(key);
  const { kind, capacity, windowMs } = rule;
  if (kind !== "bucket" && kind !== "window") throw badOption('kind must be "bucket" or "window"');
  if (!(capacity >= 1 && capacity <= MAX_CAPACITY))
    throw badOption(`capacity must be from 1 to ${MAX_CAPACITY}`);
  if (!(windowMs > 0 && windowMs < Infinity)) throw badOption("windowMs must be a number above 0");
  if (!isCount(spend)) throw badOption("spend must be a whole number of at least 0");
  if (lease !== undefined) checkLease(lease);
};

/** Above this, a double cannot represent fractions of a permit precisely enough. */
const MAX_CAPACITY = 1_000_000_000;

const checkLease = ({ holder, hold, used, max, share, leaseMs }: PermitLease): void => {
  if (typeof holder !== "string" || holder === "" || holder.length > 64) {
    throw badOption("holder must have 1 to 64 characters");
  }
  if (!isCount(hold)) throw badOption("hold must be a whole number of at least 0");
  if (!Array.isArray(used) || used.length > MAX_LEASE || !used.every((age) => age >= 0 && age < Infinity)) {
    throw badOption(`used must list at most ${MAX_LEASE} ages of at least 0`);
  }
  if (!isCount(max) || max > MAX_LEASE) throw badOption(`max must be a whole number from 0 to ${MAX_LEASE}`);
  if (!(share > 0 && share <= 1)) throw badOption("share must be above 0 and at most 1");
  if (!(leaseMs > 0 && leaseMs < Infinity)) throw badOption("leaseMs must be a number above 0");
};

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
