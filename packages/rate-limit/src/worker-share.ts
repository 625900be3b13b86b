import type { Awaitable } from "@framework/core";
import {
  type Clock,
  inProcessPermits,
  mapAwaitable,
  type Permits,
  systemClock,
} from "@framework/core/feature";
import type { Debts } from "./debts.ts";
import type { Limit } from "./limit.ts";
import { type Quota, quotaOf } from "./quota.ts";

/** Options of `WorkerShare`. */
export interface WorkerShareOptions {
  /** Number of processes that share the limits. */
  readonly workers: number;
  /** Records the admitted requests. */
  readonly debts: Debts;
  /** @default the runtime's clock */
  readonly clock?: Pick<Clock, "now">;
}

/** Limits the requests on which the store did not decide: this worker admits its share of the limit, `capacity / workers`, at least 1. */
export class WorkerShare {
  private readonly permits: Permits;
  private readonly workers: number;
  private readonly debts: Debts;

  constructor({ workers, debts, clock = systemClock }: WorkerShareOptions) {
    this.permits = inProcessPermits({ clock });
    this.workers = workers;
    this.debts = debts;
  }

  take({ rule }: Limit, key: string): Awaitable<Quota> {
    const share = { ...rule, capacity: Math.max(1, Math.floor(rule.capacity / this.workers)) };
    return mapAwaitable(this.permits.take(key, share, { spend: 1 }), (result) => {
      const allowed = result.spent > 0;
      if (allowed) this.debts.add(key, rule.windowMs);
      return quotaOf(result, allowed);
    });
  }
}
