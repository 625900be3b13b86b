import { PermitBucket } from "./permit-bucket.ts";
import type { PermitPool } from "./permit-pool.ts";
import { PermitWindow } from "./permit-window.ts";
import type { PermitAsk, PermitLoan, PermitRule, Permits } from "./permits.ts";

interface Loan {
  readonly holder: string;
  amount: number;
  endsAt: number;
}

/** All permits of one key: those in the pool and those on loan. */
export class PermitAccount {
  readonly #pool: PermitPool;
  /** Open loans, by their ends; `null` while there never was one. */
  #loans: Loan[] | null = null;
  #lent = 0;
  /** When it is no different from a new one; it may be forgotten from then on. */
  #freshAt = 0;

  constructor(rule: PermitRule, now: number) {
    this.#pool = rule.kind === "bucket" ? new PermitBucket(rule, now) : new PermitWindow(rule, now);
  }

  get kind(): PermitRule["kind"] {
    return this.#pool.kind;
  }

  /** Numbers that it keeps. */
  get size(): number {
    return this.#pool.size + 3 * (this.#loans?.length ?? 0);
  }

  isFresh(now: number): boolean {
    return this.#freshAt <= now;
  }

  take(rule: PermitRule, { spend, loan }: PermitAsk, now: number): Permits {
    const pool = this.#pool;
    if (this.#lent > 0) this.#endLoans(rule, now);
    pool.advance(rule, now, this.#lent);
    const kept = loan === undefined ? 0 : this.#settle(rule, loan, now);
    const rest = pool.free(rule, this.#lent);
    const spent = Math.min(spend, rest);
    pool.spend(rule, spent);
    const lent = loan === undefined ? 0 : portion(loan, rest, spent, kept);
    if (loan !== undefined) this.#lend(loan, kept, lent, now);
    return this.#answer(rule, { spent, lent, held: kept + lent }, now);
  }

  #answer(
    rule: PermitRule,
    { spent, lent, held }: { readonly spent: number; readonly lent: number; readonly held: number },
    now: number,
  ): Permits {
    const free = this.#pool.free(rule, this.#lent);
    const resetMs = this.#pool.resetMs(rule);
    const lastEnd = this.#loans?.at(-1)?.endsAt ?? now;
    this.#freshAt = lastEnd + (this.#lent > 0 ? rule.windowMs : 0) + resetMs;
    const waitMs = free > 0 ? 0 : this.#waitMs(rule, now);
    return { spent, lent, free, elsewhere: this.#lent - held, waitMs, resetMs };
  }

  /** Takes in what a holder tells: the uses become known, what it no longer holds is free again. Gives what it keeps. */
  #settle(rule: PermitRule, { holder, hold, used }: PermitLoan, now: number): number {
    const loan = this.#loans?.find((one) => one.holder === holder);
    if (loan === undefined) return 0; // it has ended, and counts as used since then
    const told = Math.min(used.length, loan.amount);
    for (const age of used.slice(0, told)) this.#pool.told(rule, 1, now - age);
    const kept = Math.min(hold, loan.amount - told);
    this.#pool.giveBack(loan.amount - told - kept);
    this.#lent -= loan.amount - kept;
    loan.amount = kept;
    return kept;
  }

  /** Renews a holder's loan. */
  #lend({ holder, loanMs }: PermitLoan, kept: number, lent: number, now: number): void {
    const others = (this.#loans ?? []).filter((one) => one.holder !== holder);
    if (kept + lent > 0) others.push({ holder, amount: kept + lent, endsAt: now + loanMs });
    this.#loans = others.sort((a, b) => a.endsAt - b.endsAt);
    this.#pool.lend(lent);
    this.#lent += lent;
  }

  /** Loans that ended count as used at their ends. */
  #endLoans(rule: PermitRule, now: number): void {
    for (let loan = this.#loans?.[0]; loan !== undefined && loan.endsAt <= now; loan = this.#loans?.[0]) {
      this.#pool.advance(rule, loan.endsAt, this.#lent);
      this.#loans?.shift();
      this.#lent -= loan.amount;
      this.#pool.told(rule, loan.amount, loan.endsAt);
    }
  }

  /** Time until a permit is free when no loan is given back and each is used up at its end. */
  #waitMs(rule: PermitRule, now: number): number {
    const fromPool = this.#pool.waitFor(rule, 1, this.#lent);
    if (fromPool !== Infinity) return fromPool;
    // Loans stand in the way; one whole window after the end of the last, their permits are back, whatever the rule.
    return (this.#loans?.at(-1)?.endsAt ?? now) - now + rule.windowMs;
  }
}

/** How many permits a borrower gets on top of those it spent and holds. */
const portion = ({ most, share }: PermitLoan, rest: number, spent: number, kept: number): number =>
  Math.max(0, Math.min(most, rest - spent, Math.floor(rest * share) - spent - kept));
