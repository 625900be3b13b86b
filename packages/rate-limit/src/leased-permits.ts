import type { Awaitable } from "@framework/core";
import {
  type Clock,
  type Json,
  type PermitAnswer,
  type SharedState,
  systemClock,
} from "@framework/core/feature";
import { LeasedKey, type Waiter } from "./leased-key.ts";
import type { Limit } from "./limit.ts";
import { deadline, type Quota, type QuotaSource } from "./quota.ts";

/** Duration of a lease in milliseconds; each call to the store renews it. */
const LEASE_MS = 4000;
/** Interval of sweeps in milliseconds; a sweep returns leases in the second half of their duration. */
const SWEEP_MS = 1000;
/** Maximum leases returned by one sweep; the others wait for the next, or expire. */
const SWEPT = 1000;
/** Maximum permits leased of one key. */
const MOST = 256;
/** Channel on which a worker recalls the leases of a key from the others. */
const RECALL = "rate-limit:recall";

/** Options of `LeasedPermits`. */
export interface LeasedPermitsOptions {
  readonly shared: SharedState;
  /** Number of processes that share the store. */
  readonly workers: number;
  /** Unique across processes and their restarts, at most 40 characters. */
  readonly id: string;
  /** Timeout of a decision in milliseconds. */
  readonly timeoutMs: number;
  /** Receives the error of every failed call and every timed-out request. */
  readonly failed: (error: unknown) => void;
  /** Maximum number of keys; the oldest is evicted. @default 100000 */
  readonly maxKeys?: number;
  /** @default the runtime's clock */
  readonly clock?: Clock;
}

/**
 * Permits for one of several workers. A repeated key leases a few permits at a time, so most requests need no call to the store.
 *
 * A lease is at most rest / (4 × workers), so it shrinks with the rest. Before the first denial of a key the other workers return their leases. A
 * denial is cached until a permit can be free. The store counts the lease of a dead worker as used.
 */
export class LeasedPermits implements QuotaSource {
  readonly #options: LeasedPermitsOptions;
  readonly #share: number;
  readonly #clock: Clock;
  readonly #accounts = new Map<string, LeasedKey>();
  /** Keys in order of insertion; never ends. */
  readonly #oldest: Iterator<string>;
  readonly #open = new Set<LeasedKey>();
  readonly #unsubscribe: () => void;
  #cancelSweep: (() => void) | null = null;
  #serial = 0;
  #calls = 0;

  constructor(options: LeasedPermitsOptions) {
    this.#options = options;
    this.#share = 1 / (4 * options.workers);
    this.#clock = options.clock ?? systemClock;
    this.#oldest = this.#accounts.keys();
    this.#unsubscribe = options.shared.values.subscribe(RECALL, (key) => this.#recalled(key));
  }

  get calls(): number {
    return this.#calls;
  }

  get keys(): number {
    return this.#accounts.size;
  }

  take(limit: Limit, key: string): Awaitable<Quota | null> {
    const account = this.#accounts.get(key) ?? this.#begin(limit, key);
    const now = this.#clock.now();
    if (account.waiting.size === 0) {
      if (account.useHeld(now)) return account.quota(true, now);
      if (now < account.deniedUntil) return account.quota(false, now);
    }
    return this.#wait(account);
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#cancelSweep?.();
    await Promise.all(
      this.#open
        .values()
        .take(SWEPT)
        .map((account) => this.#giveBack(account)),
    );
  }

  #begin(limit: Limit, key: string): LeasedKey {
    if (this.#accounts.size >= (this.#options.maxKeys ?? 100_000)) {
      const { value, done } = this.#oldest.next();
      if (done !== true) this.#accounts.delete(value); // its lease expires
    }
    const account = new LeasedKey(limit, key, `${this.#options.id}:${++this.#serial}`);
    this.#accounts.set(key, account);
    return account;
  }

  #wait(account: LeasedKey): Promise<Quota | null> {
    const { timeoutMs, failed } = this.#options;
    const { promise, resolve } = Promise.withResolvers<Quota | null>();
    const cancel = deadline(this.#clock, timeoutMs, () => {
      account.waiting.delete(waiter);
      failed(new Error(`the store did not answer within ${timeoutMs} ms`));
      resolve(null);
    });
    const waiter: Waiter = {
      decide: (quota) => {
        account.waiting.delete(waiter);
        cancel();
        resolve(quota);
      },
    };
    account.waiting.add(waiter);
    if (!account.isBusy) void this.#serve(account);
    return promise;
  }

  /** Decides on the pending requests of a key, including new ones. */
  async #serve(account: LeasedKey): Promise<void> {
    account.isBusy = true;
    try {
      while (account.waiting.size > 0) await this.#round(account);
    } catch (error) {
      this.#options.failed(error);
      for (const waiter of account.waiting) waiter.decide(null);
    }
    account.isBusy = false;
  }

  async #round(account: LeasedKey): Promise<void> {
    const asked = account.waiting.size;
    const first = await this.#call(account, asked, account.isKnown ? MOST : 0);
    account.isKnown = true;
    this.#allow(account, first.spent);
    const missing = asked - first.spent;
    if (missing === 0 || account.waiting.size === 0) return;
    const last = this.#isElsewhere(account, first) ? await this.#recall(account, missing) : first;
    if (last !== first && last.spent === missing) return;
    const now = this.#clock.now();
    account.deniedUntil = now + last.waitMs;
    for (const waiter of account.waiting) waiter.decide(account.quota(false, now));
  }

  /** Admits requests with the spent permits, and later ones with leased permits. */
  #allow(account: LeasedKey, spent: number): void {
    const now = this.#clock.now();
    for (const waiter of account.waiting) {
      if (spent > 0) spent--;
      else if (!account.useHeld(now)) return;
      waiter.decide(account.quota(true, now));
    }
  }

  /** Whether a recall may return permits: others hold more than those which the last recall did not return. */
  #isElsewhere(account: LeasedKey, { elsewhere }: PermitAnswer): boolean {
    const stranded = this.#clock.now() < account.strandedUntil ? account.stranded : 0;
    account.stranded = Math.min(stranded, elsewhere);
    return elsewhere > account.stranded;
  }

  /** Asks other workers to return their leases of a key, and spends them. Does not wait for a stuck worker. */
  async #recall(account: LeasedKey, missing: number): Promise<PermitAnswer> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = deadline(this.#clock, this.#options.timeoutMs / 2, resolve);
    await Promise.race([this.#options.shared.values.publish(RECALL, account.key), late]).finally(cancel);
    const permits = await this.#call(account, missing, 0);
    account.stranded = permits.elsewhere;
    account.strandedUntil = this.#clock.now() + LEASE_MS;
    this.#allow(account, permits.spent);
    return permits;
  }

  #recalled(key: Json): Awaitable<void> {
    const account = typeof key === "string" ? this.#accounts.get(key) : undefined;
    return account?.isOpen === true ? this.#giveBack(account) : undefined;
  }

  /** Reports the uses to the store and returns the lease. Never rejects. */
  async #giveBack(account: LeasedKey): Promise<void> {
    try {
      await this.#call(account, 0, 0);
    } catch (error) {
      this.#options.failed(error); // the lease expires
    }
  }

  /** Calls the store after earlier calls; `spend: 0` returns the whole lease. */
  #call(account: LeasedKey, spend: number, most: number): Promise<PermitAnswer> {
    const call = account.lastCall.then(() => this.#ask(account, spend, most));
    account.lastCall = call.catch(() => {}); // the caller handles the error
    return call;
  }

  async #ask(account: LeasedKey, spend: number, most: number): Promise<PermitAnswer> {
    const { limit, key, holder } = account;
    const sentAt = this.#clock.now();
    if (spend === 0 || sentAt >= account.endsAt) account.held = 0;
    const used = account.used.map((at) => sentAt - at);
    const lease = {
      holder,
      hold: account.held,
      used,
      most,
      share: this.#share,
      leaseMs: LEASE_MS,
    };
    this.#calls++;
    const permits = await this.#options.shared.permits.take(key, limit.rule, { spend, lease });
    const now = this.#clock.now();
    account.used.splice(0, used.length);
    account.endsAt = sentAt + LEASE_MS; // the store's lease begins later
    account.held += permits.leased;
    account.learn(permits, now);
    this.#note(account);
    return permits;
  }

  /** Tracks keys with a lease, so that it is returned in time. */
  #note(account: LeasedKey): void {
    if (account.isOpen) this.#open.add(account);
    else this.#open.delete(account);
    if (this.#open.size > 0) this.#cancelSweep ??= this.#clock.after(SWEEP_MS, () => this.#sweep());
  }

  #sweep(): void {
    this.#cancelSweep = null;
    const now = this.#clock.now();
    let room = SWEPT;
    for (const account of this.#open) {
      const leftMs = account.endsAt - now;
      if (leftMs > LEASE_MS / 2 || (leftMs > 0 && room-- <= 0)) continue;
      this.#open.delete(account);
      if (leftMs > 0) void this.#giveBack(account);
      else account.forgetLease(); // the store has counted it as used
    }
    if (this.#open.size > 0) this.#cancelSweep ??= this.#clock.after(SWEEP_MS, () => this.#sweep());
  }
}
