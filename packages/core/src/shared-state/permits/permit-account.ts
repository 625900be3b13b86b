import { PermitBucket } from "./permit-bucket.ts";
import type { PermitPool } from "./permit-pool.ts";
import { PermitWindow } from "./permit-window.ts";
import type { PermitResult, PermitLease, PermitRequest, PermitRule } from "./permits.ts";

interface Lease {
  readonly holder: string;
  amount: number;
  endsAt: number;
}

/** The permits of one key: its pool and its leases. */
export class PermitAccount {
  private readonly pool: PermitPool;
  /** Open leases, ordered by expiry; `null` before the first. */
  private leases: Lease[] | null = null;
  private leased = 0;
  /** Time at which this account equals a new one and may be removed. */
  private freshAt = 0;

  constructor(rule: PermitRule, now: number) {
    this.pool = rule.kind === "bucket" ? new PermitBucket(rule, now) : new PermitWindow(rule, now);
  }

  get kind(): PermitRule["kind"] {
    return this.pool.kind;
  }

  /** Count of stored numbers, for the bound on memory. */
  get size(): number {
    return this.pool.size + 3 * (this.leases?.length ?? 0);
  }

  isFresh(now: number): boolean {
    return this.freshAt <= now;
  }

  take(rule: PermitRule, { spend, lease }: PermitRequest, now: number): PermitResult {
    const pool = this.pool;
    if (this.leased > 0) this.endLeases(rule, now);
    pool.advance(rule, now, this.leased);
    const retained = lease === undefined ? 0 : this.settle(rule, lease, now);
    const rest = pool.free(rule, this.leased);
    const spent = Math.min(spend, rest);
    pool.spend(rule, spent);
    const leased = lease === undefined ? 0 : portion(lease, rest, spent, retained);
    if (lease !== undefined) this.renew(lease, retained, leased, now);
    return this.result(rule, { spent, leased, held: retained + leased }, now);
  }

  private result(
    rule: PermitRule,
    { spent, leased, held }: { readonly spent: number; readonly leased: number; readonly held: number },
    now: number,
  ): PermitResult {
    const free = this.pool.free(rule, this.leased);
    const resetMs = this.pool.resetMs(rule);
    const lastEnd = this.leases?.at(-1)?.endsAt ?? now;
    this.freshAt = lastEnd + (this.leased > 0 ? rule.windowMs : 0) + resetMs;
    const waitMs = free > 0 ? 0 : this.waitMs(rule, now);
    return { spent, leased, free, elsewhere: this.leased - held, waitMs, resetMs };
  }

  /** Applies a holder's report: records its uses and frees the permits that it returns. Returns the number that the holder keeps. */
  private settle(rule: PermitRule, { holder, hold, used }: PermitLease, now: number): number {
    const lease = this.leases?.find((one) => one.holder === holder);
    if (lease === undefined) return 0; // it has expired, and counted as used then
    const reported = Math.min(used.length, lease.amount);
    for (const age of used.slice(0, reported)) this.pool.report(rule, 1, now - age);
    const retained = Math.min(hold, lease.amount - reported);
    this.pool.giveBack(lease.amount - reported - retained);
    this.leased -= lease.amount - retained;
    lease.amount = retained;
    return retained;
  }

  /** Renews a holder's lease. */
  private renew({ holder, leaseMs }: PermitLease, retained: number, leased: number, now: number): void {
    const others = (this.leases ?? []).filter((one) => one.holder !== holder);
    if (retained + leased > 0) others.push({ holder, amount: retained + leased, endsAt: now + leaseMs });
    this.leases = others.sort((a, b) => a.endsAt - b.endsAt);
    this.pool.leaseOut(leased);
    this.leased += leased;
  }

  /** Counts expired leases as used at their expiry. */
  private endLeases(rule: PermitRule, now: number): void {
    for (let lease = this.leases?.[0]; lease !== undefined && lease.endsAt <= now; lease = this.leases?.[0]) {
      this.pool.advance(rule, lease.endsAt, this.leased);
      this.leases?.shift();
      this.leased -= lease.amount;
      this.pool.report(rule, lease.amount, lease.endsAt);
    }
  }

  /** Returns the milliseconds until a permit is free, assuming that every lease is used up at its expiry. */
  private waitMs(rule: PermitRule, now: number): number {
    const fromPool = this.pool.waitFor(rule, 1, this.leased);
    if (fromPool !== Infinity) return fromPool;
    // Leases hold the capacity; under either rule their permits are back one window after the last expiry.
    return (this.leases?.at(-1)?.endsAt ?? now) - now + rule.windowMs;
  }
}

/** Returns the number of permits to add to a holder's lease. */
const portion = ({ max, share }: PermitLease, rest: number, spent: number, retained: number): number =>
  Math.max(0, Math.min(max, rest - spent, Math.floor(rest * share) - spent - retained));
