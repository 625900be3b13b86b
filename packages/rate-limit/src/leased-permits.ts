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

/** Life of a lease in milliseconds; each call to the store renews it. */
const LEASE_MS = 4000;
/** Pause between sweeps; a sweep gives back leases in the second half of their lives. */
const SWEEP_MS = 1000;
/** Leases given back in one sweep; the others wait for the next, or end. */
const SWEPT = 1000;
/** Most permits leased of one key. */
const MOST = 256;
/** Channel on which a worker recalls the leases of a key from the others. */
const RECALL = "rate-limit:recall";

/** Options of `LeasedPermits`. */
export interface LeasedPermitsOptions {
  readonly shared: SharedState;
  /** Serving processes that share the store. */
  readonly workers: number;
  /** Unique over all processes and their lives, at most 40 characters. */
  readonly id: string;
  /** Milliseconds that a decision may take. */
  readonly timeoutMs: number;
  /** Receives every call that failed, and every request without an answer in time. */
  readonly failed: (error: unknown) => void;
  /** Keys remembered; the one first seen longest ago is forgotten. @default 100000 */
  readonly maxKeys?: number;
  /** @default the runtime's */
  readonly clock?: Clock;
}

/**
 * Permits for one of several workers: a key that comes again leases a few at a time, so most requests are decided without asking the store.
 *
 * A lease is at most rest / (4 × workers), so it shrinks as the rest does. Before a key is denied for the first time the other workers give back
 * their leases of it. A denial is remembered for as long as no permit can come back. The store counts the lease of a dead worker as used.
 */
export class LeasedPermits implements QuotaSource {
  readonly #options: LeasedPermitsOptions;
  readonly #share: number;
  readonly #clock: Clock;
  readonly #accounts = new Map<string, LeasedKey>();
  /** Keys in the order in which they were first seen; never ends. */
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
      if (done !== true) this.#accounts.delete(value); // its lease ends by itself
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
      failed(new Error(`the store gave no answer within ${timeoutMs} ms`));
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

  /** Decides on the requests that wait for a key, those that arrive meanwhile included. */
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

  /** Admits as many requests as there are permits: those just spent, and leased ones for requests that arrived meanwhile. */
  #allow(account: LeasedKey, spent: number): void {
    const now = this.#clock.now();
    for (const waiter of account.waiting) {
      if (spent > 0) spent--;
      else if (!account.useHeld(now)) return;
      waiter.decide(account.quota(true, now));
    }
  }

  /** Whether a recall may bring permits: others hold more than the last recall left with workers that did not answer. */
  #isElsewhere(account: LeasedKey, { elsewhere }: PermitAnswer): boolean {
    const stranded = this.#clock.now() < account.strandedUntil ? account.stranded : 0;
    account.stranded = Math.min(stranded, elsewhere);
    return elsewhere > account.stranded;
  }

  /** Makes other workers give back their leases of a key, and spends them. Does not wait for a worker that is stuck. */
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

  /** Reports the uses to the store and keeps nothing. Never rejects. */
  async #giveBack(account: LeasedKey): Promise<void> {
    try {
      await this.#call(account, 0, 0);
    } catch (error) {
      this.#options.failed(error); // the lease ends by itself
    }
  }

  /** Asks the store, after the calls before; `spend: 0` gives everything back. */
  #call(account: LeasedKey, spend: number, most: number): Promise<PermitAnswer> {
    const call = account.lastCall.then(() => this.#ask(account, spend, most));
    account.lastCall = call.catch(() => {}); // the caller gets the error
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
    account.endsAt = sentAt + LEASE_MS; // the store counts from a later moment
    account.held += permits.leased;
    account.learn(permits, now);
    this.#note(account);
    return permits;
  }

  /** Remembers accounts with a lease, so that it is given back in time. */
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
      else account.forgetLease(); // the store has counted all of it as used
    }
    if (this.#open.size > 0) this.#cancelSweep ??= this.#clock.after(SWEEP_MS, () => this.#sweep());
  }
}
