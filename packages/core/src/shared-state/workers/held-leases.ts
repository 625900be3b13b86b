import { mapAwaitable } from "../../middleware/middleware.ts";
import { type Clock, systemClock } from "../../runtime/clock.ts";
import { MAX_LEASE } from "../permits/permit-bounds.ts";
import type { PermitResult, PermitLease, PermitRule, Permits } from "../permits/permits.ts";

/** Duration of a lease whose uses are reported in several calls. */
const LEASE_MS = 60_000;

/** Number of leases that each call checks for their expiry. */
const SWEEP = 2;

interface HeldLease {
  readonly key: string;
  readonly rule: PermitRule;
  readonly holder: string;
  readonly amount: number;
  readonly endsAt: number;
}

/** The leases of one worker with `endsAtExit`: they count as used when it exits, because its last uses are unknown. */
export class HeldLeases {
  /** The permits for the worker; every call with `endsAtExit` updates its leases. */
  readonly tracked: Permits;
  private readonly leases = new Map<string, HeldLease>();
  private readonly permits: Permits;
  private readonly clock: Pick<Clock, "now">;

  constructor(permits: Permits, clock: Pick<Clock, "now"> = systemClock) {
    this.permits = permits;
    this.clock = clock;
    this.tracked = {
      take: (key, rule, request) =>
        mapAwaitable(permits.take(key, rule, request), (result) => {
          if (request.lease?.endsAtExit === true) this.track(key, rule, request.lease, result);
          return result;
        }),
    };
  }

  /** Reports all leased permits as used now. */
  end(): void {
    for (const lease of this.leases.values()) void this.report(lease);
    this.leases.clear();
  }

  private track(
    key: string,
    rule: PermitRule,
    { holder, hold, used, leaseMs }: PermitLease,
    result: PermitResult,
  ): void {
    this.dropExpired();
    const name = `${holder} ${key}`;
    const known = this.leases.get(name)?.amount ?? 0;
    const amount = Math.min(hold, Math.max(0, known - used.length)) + result.leased;
    if (amount === 0) this.leases.delete(name);
    else this.leases.set(name, { key, rule, holder, amount, endsAt: this.clock.now() + leaseMs });
  }

  /** Drops expired leases, which the store has counted as used. Checks a few leases in turn, so that a call takes constant time. */
  private dropExpired(): void {
    const now = this.clock.now();
    for (const [name, lease] of this.leases.entries().take(SWEEP)) {
      this.leases.delete(name);
      if (lease.endsAt > now) this.leases.set(name, lease);
    }
  }

  private async report({ key, rule, holder, amount }: HeldLease): Promise<void> {
    for (let remaining = amount; remaining > 0; remaining -= MAX_LEASE) {
      const used = Array.from({ length: Math.min(remaining, MAX_LEASE) }, () => 0);
      const lease = { holder, hold: remaining - used.length, used, max: 0, share: 1, leaseMs: LEASE_MS };
      await this.permits.take(key, rule, { spend: 0, lease });
    }
  }
}
