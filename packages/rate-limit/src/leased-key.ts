import type { PermitAnswer } from "@framework/core/feature";
import type { Limit } from "./limit.ts";
import type { Quota } from "./quota.ts";

/** A request that waits for the store's answer. */
export interface Waiter {
  readonly decide: (quota: Quota | null) => void;
}

/** One key as one worker knows it, with its lease. Times are of the worker's monotonic clock, in milliseconds. */
export class LeasedKey {
  readonly limit: Limit;
  readonly key: string;
  /** Identifies this lease among those of all keys and processes. */
  readonly holder: string;
  readonly waiting: Set<Waiter> = new Set();
  /** When leased permits were used, until that is reported to the store. */
  readonly used: number[] = [];
  /** Leased permits that are unused; void from `endsAt` on. */
  held = 0;
  endsAt = 0;
  /** The store was asked before: the first request of a client leases nothing. */
  isKnown = false;
  isBusy = false;
  /** No permit is free before this moment, even if other workers give theirs back. */
  deniedUntil = 0;
  /** Permits of others that the last recall did not bring back. */
  stranded = 0;
  strandedUntil = 0;
  /** The last call to the store; calls of one account never overtake each other. */
  lastCall: Promise<unknown> = Promise.resolve();
  #free = 0;
  #freeAt = 0;
  #resetAt = 0;

  constructor(limit: Limit, key: string, holder: string) {
    this.limit = limit;
    this.key = key;
    this.holder = holder;
  }

  /** Whether the store counts permits as leased here. */
  get isOpen(): boolean {
    return this.held > 0 || this.used.length > 0;
  }

  /** Uses a permit in hand, if there is one. */
  useHeld(now: number): boolean {
    if (this.held === 0 || now >= this.endsAt) return false;
    this.held--;
    this.used.push(now);
    return true;
  }

  /** Drops a lease that has ended. */
  forgetLease(): void {
    this.held = 0;
    this.used.length = 0;
  }

  /** Applies an answer of the store. */
  learn({ free, waitMs, resetMs }: PermitAnswer, now: number): void {
    this.#free = free;
    this.#freeAt = now + waitMs;
    this.#resetAt = now + resetMs;
  }

  quota(allowed: boolean, now: number): Quota {
    return {
      allowed,
      remaining: allowed ? this.#free + this.held : 0,
      waitMs: Math.max(0, (allowed ? this.#freeAt : this.deniedUntil) - now),
      resetMs: Math.max(0, this.#resetAt - now),
    };
  }
}
