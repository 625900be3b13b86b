import type { PermitAsk, PermitLoan, PermitRule } from "./permits.ts";
import { badOption, checkKey } from "../state-bounds.ts";

/** Most permits that one loan may have, and most uses that one call may tell. */
export const MAX_LOAN = 1024;

/** Checks a call of `take`. @throws CORE_SHARED_STATE_BAD_KEY, CORE_SHARED_STATE_BAD_OPTION */
export const checkPermits = (key: string, rule: PermitRule, { spend, loan }: PermitAsk): void => {
  checkKey(key);
  const { kind, capacity, windowMs } = rule;
  if (kind !== "bucket" && kind !== "window") throw badOption('kind must be "bucket" or "window"');
  if (!(capacity >= 1 && capacity <= MAX_CAPACITY))
    throw badOption(`capacity must be from 1 to ${MAX_CAPACITY}`);
  if (!(windowMs > 0 && windowMs < Infinity)) throw badOption("windowMs must be a number above 0");
  if (!isCount(spend)) throw badOption("spend must be a whole number of at least 0");
  if (loan !== undefined) checkLoan(loan);
};

/** Above it, fractions of a permit drown in the width of a number. */
const MAX_CAPACITY = 1_000_000_000;

const checkLoan = ({ holder, hold, used, most, share, loanMs }: PermitLoan): void => {
  if (typeof holder !== "string" || holder === "" || holder.length > 64) {
    throw badOption("holder must have 1 to 64 characters");
  }
  if (!isCount(hold)) throw badOption("hold must be a whole number of at least 0");
  if (!Array.isArray(used) || used.length > MAX_LOAN || !used.every((age) => age >= 0 && age < Infinity)) {
    throw badOption(`used must list at most ${MAX_LOAN} ages of at least 0`);
  }
  if (!isCount(most) || most > MAX_LOAN) throw badOption(`most must be a whole number from 0 to ${MAX_LOAN}`);
  if (!(share > 0 && share <= 1)) throw badOption("share must be above 0 and at most 1");
  if (!(loanMs > 0 && loanMs < Infinity)) throw badOption("loanMs must be a number above 0");
};

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
