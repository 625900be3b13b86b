// One file: the decision, the lease and the recall of one key change the same account.
import type { Awaitable } from "@framework/core";
import {
  type Clock,
  type Json,
  type PermitResult,
  type SharedState,
  systemClock,
} from "@framework/core/feature";
import type { Debts } from "./debts.ts";
import { LeasedKey, type Waiter } from "./leased-key.ts";
import type { Limit } from "./limit.ts";
import { deadline, type Quota, type QuotaSource } from "./quota.ts";

/**
 * Duration of a lease in milliseconds; each call to the store renews it. With the primary process a lease also ends when its worker exits, so it can
 * be longer than the pauses of a busy worker.
 */
const LEASE_MS = 60_000;
const REMOTE_LEASE_MS = 4000;
/** Interval of sweeps in milliseconds; a sweep returns the leases of keys without a call for two intervals. */
const SWEEP_MS = 1000;
const IDLE_MS = 2000;
/** Maximum wait for the leases of the other workers of this host, in milliseconds; with a remote store, half of its timeout. */
const RECALL_MS = 5000;
/** Maximum time for which a denial is cached while other workers have not returned their leases, in milliseconds. */
const MAX_CACHED_DENIAL_MS = 1000;
/** Maximum number of leases returned at a time, by a sweep or a stop; the others wait for the next sweep, or expire. */
const MAX_RETURNS = 1000;
/** Maximum number of permits leased for one key. */
const MAX_LEASE = 256;
/** Channel on which a worker recalls the leases of a key from the other workers. */
const RECALL_CHANNEL = "rate-limit:recall";

/** Options of `LeasedPermits`. */
export interface LeasedPermitsOptions {
  readonly shared: SharedState;
  /** Number of processes that share the store. */
  readonly workers: number;
  /** Unique across processes and their restarts, at most 40 characters. */
  readonly id: string;
  /** Timeout of a decision in milliseconds; `null` with the primary process, which may be busy but is always reachable. */
  readonly timeoutMs: number | null;
  /** Requests that were admitted without the store; each call charges the requests of its key. */
  readonly debts: Debts;
  /** Called for every timed-out request, and with the error of every failed call, unless all of its requests have timed out. */
  readonly onError: (error: unknown) => void;
  /** Maximum number of keys; the oldest is evicted. @default 100000 */
  readonly maxKeys?: number;
  /** @default the runtime's clock */
  readonly clock?: Clock;
}

/**
 * Permits for one of several workers. A repeated key leases several permits per call, so most requests need no call to the store.
 *
 * A lease is at most remaining / (4 × workers), so leases shrink with the remaining permits. Before the first denial of a key the other workers return their
 * leases. A denial is cached until a permit can be free. The store counts the lease of a dead worker as used.
 */
export class LeasedPermits implements QuotaSource {
  private readonly options: LeasedPermitsOptions;
  private readonly share: number;
  private readonly leaseMs: number;
  private readonly recallMs: number;
  private readonly clock: Clock;
  private readonly accounts = new Map<string, LeasedKey>();
  /** Iterates over the keys in insertion order, including keys added later. */
  private readonly oldest: Iterator<string>;
  private readonly open = new Set<LeasedKey>();
  private readonly unsubscribe: () => void;
  private cancelSweep: (() => void) | null = null;
  private serial = 0;
  private callCount = 0;
  private isStopped = false;

  constructor(options: LeasedPermitsOptions) {
    this.options = options;
    const { timeoutMs } = options;
    this.share = 1 / (4 * options.workers);
    this.leaseMs = timeoutMs === null ? LEASE_MS : REMOTE_LEASE_MS;
    this.recallMs = timeoutMs === null ? RECALL_MS : timeoutMs / 2;
    this.clock = options.clock ?? systemClock;
    this.oldest = this.accounts.keys();
    this.unsubscribe = options.shared.values.subscribe(RECALL_CHANNEL, (key) => this.onRecall(key));
  }

  get calls(): number {
    return this.callCount;
  }

  get keys(): number {
    return this.accounts.size;
  }

  take(limit: Limit, key: string): Awaitable<Quota | null> {
    const account = this.accounts.get(key) ?? this.addAccount(limit, key);
    const now = this.clock.now();
    if (account.waiting.size === 0) {
      if (account.useHeld(now)) return account.quota(true, now);
      if (now < account.deniedUntil) return account.quota(false, now);
    }
    return this.wait(account);
  }

  async stop(deadline?: AbortSignal): Promise<void> {
    this.isStopped = true;
    this.unsubscribe();
    this.cancelSweep?.();
    const open = Array.from(this.open);
    for (let at = 0; at < open.length && deadline?.aborted !== true; at += MAX_RETURNS)
      await Promise.all(open.slice(at, at + MAX_RETURNS).map((account) => this.returnLease(account)));
  }

  private addAccount(limit: Limit, key: string): LeasedKey {
    if (this.accounts.size >= (this.options.maxKeys ?? 100_000)) {
      const { value, done } = this.oldest.next();
      if (done !== true) this.accounts.delete(value); // its lease expires
    }
    const account = new LeasedKey(limit, key, `${this.options.id}:${++this.serial}`);
    this.accounts.set(key, account);
    return account;
  }

  private wait(account: LeasedKey): Promise<Quota | null> {
    const { timeoutMs, onError } = this.options;
    const { promise, resolve } = Promise.withResolvers<Quota | null>();
    const cancel = deadline(this.clock, timeoutMs, () => {
      account.waiting.delete(waiter);
      onError(new Error(`the store did not answer within ${timeoutMs} ms`));
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
    if (!account.isBusy) void this.serve(account);
    return promise;
  }

  /** Decides on the pending requests of a key, including new ones. */
  private async serve(account: LeasedKey): Promise<void> {
    account.isBusy = true;
    try {
      while (account.waiting.size > 0) await this.serveRound(account);
    } catch (error) {
      if (account.waiting.size > 0) this.options.onError(error); // timed-out requests have been counted already
      for (const waiter of account.waiting) waiter.decide(null);
    }
    account.isBusy = false;
  }

  private async serveRound(account: LeasedKey): Promise<void> {
    const count = account.waiting.size;
    const max = account.isKnown && !this.isStopped ? MAX_LEASE : 0;
    const first = await this.spend(account, count, max);
    account.isKnown = true;
    const missing = count - first.spent;
    if (missing === 0 || account.waiting.size === 0) return;
    const last = this.mayRecall(account, first) ? await this.recall(account, missing) : first;
    if (last !== first && last.spent === missing) return;
    const now = this.clock.now();
    account.deniedUntil =
      now + (last.elsewhere > 0 ? Math.min(MAX_CACHED_DENIAL_MS, last.waitMs) : last.waitMs);
    for (const waiter of account.waiting) waiter.decide(account.quota(false, now));
  }

  /** Spends permits for the key's debt and for requests, and admits the requests. Returns the store's result with `spent` counting only requests. */
  private async spend(account: LeasedKey, count: number, max: number): Promise<PermitResult> {
    const { debts } = this.options;
    const { key } = account;
    const debt = debts.claim(key);
    try {
      const permits = await this.call(account, count + (debt?.count ?? 0), max);
      const spent = debts.settle(key, debt, permits.spent);
      this.allow(account, spent);
      return { ...permits, spent };
    } catch (error) {
      debts.settle(key, debt, 0);
      throw error;
    }
  }

  /** Admits requests with the spent permits, then with leased permits. Permits spent on requests that have timed out reduce the key's debt. */
  private allow(account: LeasedKey, spent: number): void {
    const now = this.clock.now();
    for (const waiter of account.waiting) {
      if (spent > 0) spent--;
      else if (!account.useHeld(now)) return;
      waiter.decide(account.quota(true, now));
    }
    this.options.debts.pay(account.key, spent);
  }

  /** Whether a recall may return permits: other workers hold more permits than the last recall failed to return. */
  private mayRecall(account: LeasedKey, { elsewhere }: PermitResult): boolean {
    const unreturned = this.clock.now() < account.unreturnedUntil ? account.unreturned : 0;
    account.unreturned = Math.min(unreturned, elsewhere);
    return elsewhere > account.unreturned;
  }

  /** Recalls the leases of a key from other workers, and spends the returned permits. Waits for a busy worker, but not for a stuck one. */
  private async recall(account: LeasedKey, missing: number): Promise<PermitResult> {
    await this.options.shared.values.publish(RECALL_CHANNEL, account.key, { waitMs: this.recallMs });
    const permits = await this.spend(account, missing, 0);
    account.unreturned = permits.elsewhere;
    account.unreturnedUntil = this.clock.now() + REMOTE_LEASE_MS;
    return permits;
  }

  private onRecall(key: Json): Awaitable<void> {
    const account = typeof key === "string" ? this.accounts.get(key) : undefined;
    return account?.isOpen === true ? this.returnLease(account) : undefined;
  }

  /** Reports the used permits to the store and returns the lease. Never rejects. */
  private async returnLease(account: LeasedKey): Promise<void> {
    try {
      await this.call(account, 0, 0);
    } catch (error) {
      this.options.onError(error); // the lease expires
    }
  }

  /** Calls the store once earlier calls of the key have settled; `spend: 0` returns the whole lease. */
  private call(account: LeasedKey, spend: number, max: number): Promise<PermitResult> {
    const call = account.lastCall.then(() => this.send(account, spend, max));
    account.lastCall = call.catch(() => {}); // the caller handles the error
    return call;
  }

  private async send(account: LeasedKey, spend: number, max: number): Promise<PermitResult> {
    const { limit, key, holder } = account;
    const sentAt = this.clock.now();
    if (spend === 0 || sentAt >= account.endsAt) account.held = 0;
    const used = account.used.map((at) => sentAt - at);
    const lease = {
      holder,
      hold: account.held,
      used,
      max,
      share: this.share,
      leaseMs: this.leaseMs,
      ...(this.options.timeoutMs === null && { endsAtExit: true }),
    };
    this.callCount++;
    const permits = await this.options.shared.permits.take(key, limit.rule, { spend, lease });
    const now = this.clock.now();
    account.used.splice(0, used.length);
    account.endsAt = sentAt + this.leaseMs; // the store's lease begins later
    account.held += permits.leased;
    account.update(permits, now);
    this.trackLease(account);
    return permits;
  }

  /** Tracks the keys with a lease, so that a sweep returns idle leases. */
  private trackLease(account: LeasedKey): void {
    if (account.isOpen) this.open.add(account);
    else this.open.delete(account);
    if (this.open.size > 0) this.cancelSweep ??= this.clock.after(SWEEP_MS, () => this.sweep());
  }

  private sweep(): void {
    this.cancelSweep = null;
    const now = this.clock.now();
    let room = MAX_RETURNS;
    for (const account of this.open) {
      const remainingMs = account.endsAt - now;
      if (remainingMs > this.leaseMs - IDLE_MS || (remainingMs > 0 && room-- <= 0)) continue;
      this.open.delete(account);
      if (remainingMs > 0) void this.returnLease(account);
      else account.dropLease(); // the store has counted it as used
    }
    if (this.open.size > 0) this.cancelSweep ??= this.clock.after(SWEEP_MS, () => this.sweep());
  }
}
