import { PermitBucket } from "./permit-bucket.ts";
import type { PermitPool } from "./permit-pool.ts";
import { PermitWindow } from "./permit-window.ts";
import type { PermitAnswer, PermitLease, PermitRequest, PermitRule } from "./permits.ts";

interface Lease {
  readonly holder: string;
  amount: number;
  endsAt: number;
}

/** All permits of one key: those in the pool and those leased. */
export class PermitAccount {
  readonly #pool: PermitPool;
  /** Open leases, by their ends; `null` while there never was one. */
  #leases: Lease[] | null = null;
  #leased = 0;
  /** From this moment on it equals a new account and may be forgotten. */
  #freshAt = 0;

  constructor(rule: PermitRule, now: number) {
    this.#pool = rule.kind === "bucket" ? new PermitBucket(rule, now) : new PermitWindow(rule, now);
  }

  get kind(): PermitRule["kind"] {
    return this.#pool.kind;
  }

  /** How many numbers it keeps. */
  get size(): number {
    return this.#pool.size + 3 * (this.#leases?.length ?? 0);
  }

  isFresh(now: number): boolean {
    return this.#freshAt <= now;
  }

  take(rule: PermitRule, { spend, lease }: PermitRequest, now: number): PermitAnswer {
    const pool = this.#pool;
    if (this.#leased > 0) this.#endLeases(rule, now);
    pool.advance(rule, now, this.#leased);
    const kept = lease === undefined ? 0 : this.#settle(rule, lease, now);
    const rest = pool.free(rule, this.#leased);
    const spent = Math.min(spend, rest);
    pool.spend(rule, spent);
    const leased = lease === undefined ? 0 : portion(lease, rest, spent, kept);
    if (lease !== undefined) this.#renew(lease, kept, leased, now);
    return this.#answer(rule, { spent, leased, held: kept + leased }, now);
  }

  #answer(
    rule: PermitRule,
    { spent, leased, held }: { readonly spent: number; readonly leased: number; readonly held: number },
    now: number,
  ): PermitAnswer {
    const free = this.#pool.free(rule, this.#leased);
    const resetMs = this.#pool.resetMs(rule);
    const lastEnd = this.#leases?.at(-1)?.endsAt ?? now;
    this.#freshAt = lastEnd + (this.#leased > 0 ? rule.windowMs : 0) + resetMs;
    const waitMs = free > 0 ? 0 : this.#waitMs(rule, now);
    return { spent, leased, free, elsewhere: this.#leased - held, waitMs, resetMs };
  }

  /** Applies the report of a holder: its uses are known, permits that it no longer holds are free again. Returns how many it keeps. */
  #settle(rule: PermitRule, { holder, hold, used }: PermitLease, now: number): number {
    const lease = this.#leases?.find((one) => one.holder === holder);
    if (lease === undefined) return 0; // it has ended, and counts as used since then
    const reported = Math.min(used.length, lease.amount);
    for (const age of used.slice(0, reported)) this.#pool.report(rule, 1, now - age);
    const kept = Math.min(hold, lease.amount - reported);
    this.#pool.giveBack(lease.amount - reported - kept);
    this.#leased -= lease.amount - kept;
    lease.amount = kept;
    return kept;
  }

  /** Renews a holder's lease. */
  #renew({ holder, leaseMs }: PermitLease, kept: number, leased: number, now: number): void {
    const others = (this.#leases ?? []).filter((one) => one.holder !== holder);
    if (kept + leased > 0) others.push({ holder, amount: kept + leased, endsAt: now + leaseMs });
    this.#leases = others.sort((a, b) => a.endsAt - b.endsAt);
    this.#pool.leaseOut(leased);
    this.#leased += leased;
  }

  /** Leases that ended count as used at their ends. */
  #endLeases(rule: PermitRule, now: number): void {
    for (
      let lease = this.#leases?.[0];
      lease !== undefined && lease.endsAt <= now;
      lease = this.#leases?.[0]
    ) {
      this.#pool.advance(rule, lease.endsAt, this.#leased);
      this.#leases?.shift();
      this.#leased -= lease.amount;
      this.#pool.report(rule, lease.amount, lease.endsAt);
    }
  }

  /** Milliseconds until a permit is free, if no lease is given back and each is used up at its end. */
  #waitMs(rule: PermitRule, now: number): number {
    const fromPool = this.#pool.waitFor(rule, 1, this.#leased);
    if (fromPool !== Infinity) return fromPool;
    // Leases stand in the way; one whole window after the end of the last, their permits are back, whatever the rule.
    return (this.#leases?.at(-1)?.endsAt ?? now) - now + rule.windowMs;
  }
}

/** Permits that a holder leases on top of those it spent and holds. */
const portion = ({ most, share }: PermitLease, rest: number, spent: number, kept: number): number =>
  Math.max(0, Math.min(most, rest - spent, Math.floor(rest * share) - spent - kept));
