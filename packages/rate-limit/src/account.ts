import type { Limit } from "./limit.ts";
import type { Permits } from "./permits.ts";
import type { Quota } from "./quota.ts";

/** A request that waits for the store's answer. */
export interface Waiter {
  readonly decide: (quota: Quota | null) => void;
}

/** What one worker knows and holds of one key. Times are of its own monotonic clock, in milliseconds. */
export class Account {
  readonly limit: Limit;
  readonly key: string;
  /** Names this account's loan, apart from that of every other account of any process. */
  readonly holder: string;
  readonly waiting: Set<Waiter> = new Set();
  /** When permits on loan were used, until the store has been told. */
  readonly used: number[] = [];
  /** Permits on loan that were not used yet; worth nothing from `endsAt` on. */
  held = 0;
  endsAt = 0;
  /** The store was asked before: a client that came once borrows nothing. */
  isKnown = false;
  isBusy = false;
  /** No permit can be free before, whoever gives one back. */
  refusedUntil = 0;
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

  /** Whether the store counts something as lent to this account. */
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

  /** Drops a loan that has ended. */
  forgetLoan(): void {
    this.held = 0;
    this.used.length = 0;
  }

  /** Takes in an answer of the store. */
  learn({ free, waitMs, resetMs }: Permits, now: number): void {
    this.#free = free;
    this.#freeAt = now + waitMs;
    this.#resetAt = now + resetMs;
  }

  quota(allowed: boolean, now: number): Quota {
    return {
      allowed,
      remaining: allowed ? this.#free + this.held : 0,
      waitMs: Math.max(0, (allowed ? this.#freeAt : this.refusedUntil) - now),
      resetMs: Math.max(0, this.#resetAt - now),
    };
  }
}
