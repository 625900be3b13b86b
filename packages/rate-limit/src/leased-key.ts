import type { PermitResult } from "@framework/core/feature";
import type { Limit } from "./limit.ts";
import type { Quota } from "./quota.ts";

/** A pending request. */
export interface Waiter {
  readonly decide: (quota: Quota | null) => void;
}

/** A worker's state of one key, with its lease. Times are milliseconds of the worker's monotonic clock. */
export class LeasedKey {
  readonly limit: Limit;
  readonly key: string;
  /** Id of the lease, unique over all keys and processes. */
  readonly holder: string;
  readonly waiting: Set<Waiter> = new Set();
  /** Times of use of leased permits that are not reported yet. */
  readonly used: number[] = [];
  /** Unused leased permits; invalid from `endsAt`. */
  held = 0;
  endsAt = 0;
  /** Whether the store has been called for the key: the first request of a client leases nothing. */
  isKnown = false;
  isBusy = false;
  /** Time until which requests are denied without a call to the store. */
  deniedUntil = 0;
  /** Permits leased by other workers that the last recall did not return. */
  unreturned = 0;
  unreturnedUntil = 0;
  /** The last call to the store; calls of one key are sequential. */
  lastCall: Promise<unknown> = Promise.resolve();
  private free = 0;
  private freeAt = 0;
  private resetAt = 0;

  constructor(limit: Limit, key: string, holder: string) {
    this.limit = limit;
    this.key = key;
    this.holder = holder;
  }

  /** Whether the store has an open lease of this worker. */
  get isOpen(): boolean {
    return this.held > 0 || this.used.length > 0;
  }

  /** Uses a leased permit. Returns whether there was one. */
  useHeld(now: number): boolean {
    if (this.held === 0 || now >= this.endsAt) return false;
    this.held--;
    this.used.push(now);
    return true;
  }

  /** Drops an expired lease. */
  dropLease(): void {
    this.held = 0;
    this.used.length = 0;
  }

  /** Stores the free permits and times of a store's result. */
  update({ free, waitMs, resetMs }: PermitResult, now: number): void {
    this.free = free;
    this.freeAt = now + waitMs;
    this.resetAt = now + resetMs;
  }

  quota(allowed: boolean, now: number): Quota {
    return {
      allowed,
      remaining: allowed ? this.free + this.held : 0,
      waitMs: Math.max(0, (allowed ? this.freeAt : Math.max(this.freeAt, this.deniedUntil)) - now),
      resetMs: Math.max(0, this.resetAt - now),
    };
  }
}
