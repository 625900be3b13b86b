// The whole life of a worker's loans stands here in one piece: asking, borrowing, recalling, giving back.
import type { Awaitable } from "@framework/core";
import type { Json, SharedState } from "@framework/core/feature";
import { Account, type Waiter } from "./account.ts";
import type { Limit } from "./limit.ts";
import type { Permits } from "./permits.ts";
import type { Quota, QuotaSource } from "./quota.ts";
import { deadline, type Schedule, systemSchedule } from "./store-deadline.ts";

/** Milliseconds that a loan lasts unless it is renewed. */
const LOAN_MS = 4000;
/** How often loans are looked through; one in the second half of its life is given back. */
const SWEEP_MS = 1000;
/** Loans given back in one sweep; more wait for the next, or end. */
const SWEPT = 1000;
/** Most permits in hand of one key. */
const MOST = 256;
/** Name of the channel on which a worker asks the others for what they hold of a key. */
const RECALL = "rate-limit:recall";

/** What borrowing needs. */
export interface LentPermitsOptions {
  readonly store: SharedState;
  /** Serving processes that share the store. */
  readonly workers: number;
  /** Unique over all processes and their lives, at most 40 characters. */
  readonly id: string;
  /** Milliseconds that a decision may take. */
  readonly timeoutMs: number;
  /** Hears of every call that failed, and of every request without an answer in time. */
  readonly failed: (error: unknown) => void;
  /** Keys remembered; the one first seen longest ago is forgotten. @default 100000 */
  readonly maxKeys?: number;
  /** Monotonic clock in milliseconds. @default performance.now */
  readonly now?: () => number;
  readonly schedule?: Schedule;
}

/**
 * Permits for one of several workers: a key that comes again borrows a few at a time, and most requests are decided without asking the store.
 *
 * A loan is at most rest / (4 × workers), so it shrinks as the rest does. Before a key is refused for the first time the other workers give back what
 * they hold of it. A refusal is remembered for as long as no permit can come back. The store counts what a dead worker held as used.
 */
export class LentPermits implements QuotaSource {
  readonly #options: LentPermitsOptions;
  readonly #share: number;
  readonly #now: () => number;
  readonly #schedule: Schedule;
  readonly #accounts = new Map<string, Account>();
  /** Keys in the order in which they were first seen; goes on for ever. */
  readonly #oldest: Iterator<string>;
  readonly #open = new Set<Account>();
  readonly #unsubscribe: () => void;
  #cancelSweep: (() => void) | null = null;
  #serial = 0;
  #calls = 0;

  constructor(options: LentPermitsOptions) {
    this.#options = options;
    this.#share = 1 / (4 * options.workers);
    this.#now = options.now ?? (() => performance.now());
    this.#schedule = options.schedule ?? systemSchedule;
    this.#oldest = this.#accounts.keys();
    this.#unsubscribe = options.store.subscribe(RECALL, (key) => this.#recalled(key));
  }

  get calls(): number {
    return this.#calls;
  }

  get keys(): number {
    return this.#accounts.size;
  }

  take(limit: Limit, key: string): Awaitable<Quota | null> {
    const account = this.#accounts.get(key) ?? this.#begin(limit, key);
    const now = this.#now();
    if (account.waiting.size === 0) {
      if (account.useHeld(now)) return account.quota(true, now);
      if (now < account.refusedUntil) return account.quota(false, now);
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

  #begin(limit: Limit, key: string): Account {
    if (this.#accounts.size >= (this.#options.maxKeys ?? 100_000)) {
      const { value, done } = this.#oldest.next();
      if (done !== true) this.#accounts.delete(value); // what it has on loan ends by itself
    }
    const account = new Account(limit, key, `${this.#options.id}:${++this.#serial}`);
    this.#accounts.set(key, account);
    return account;
  }

  #wait(account: Account): Promise<Quota | null> {
    const { timeoutMs, failed } = this.#options;
    const { promise, resolve } = Promise.withResolvers<Quota | null>();
    const cancel = deadline(this.#schedule, timeoutMs, () => {
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

  /** Answers all who wait for a key, and those who come meanwhile. */
  async #serve(account: Account): Promise<void> {
    account.isBusy = true;
    try {
      while (account.waiting.size > 0) await this.#round(account);
    } catch (error) {
      this.#options.failed(error);
      for (const waiter of account.waiting) waiter.decide(null);
    }
    account.isBusy = false;
  }

  async #round(account: Account): Promise<void> {
    const asked = account.waiting.size;
    const first = await this.#call(account, asked, account.isKnown ? MOST : 0);
    account.isKnown = true;
    this.#allow(account, first.spent);
    const missing = asked - first.spent;
    if (missing === 0 || account.waiting.size === 0) return;
    const last = this.#isElsewhere(account, first) ? await this.#recall(account, missing) : first;
    if (last !== first && last.spent === missing) return;
    const now = this.#now();
    account.refusedUntil = now + last.waitMs;
    for (const waiter of account.waiting) waiter.decide(account.quota(false, now));
  }

  /** Lets as many through as there are permits: those just spent, and those in hand for requests that came meanwhile. */
  #allow(account: Account, spent: number): void {
    const now = this.#now();
    for (const waiter of account.waiting) {
      if (spent > 0) spent--;
      else if (!account.useHeld(now)) return;
      waiter.decide(account.quota(true, now));
    }
  }

  /** Whether others hold permits that a recall may bring: more than the last one left with those who did not answer. */
  #isElsewhere(account: Account, { elsewhere }: Permits): boolean {
    const stranded = this.#now() < account.strandedUntil ? account.stranded : 0;
    account.stranded = Math.min(stranded, elsewhere);
    return elsewhere > account.stranded;
  }

  /** Lets others give back what they hold of a key, and asks for it. A worker that is stuck is not waited for. */
  async #recall(account: Account, missing: number): Promise<Permits> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = deadline(this.#schedule, this.#options.timeoutMs / 2, resolve);
    await Promise.race([this.#options.store.publish(RECALL, account.key), late]).finally(cancel);
    const permits = await this.#call(account, missing, 0);
    account.stranded = permits.elsewhere;
    account.strandedUntil = this.#now() + LOAN_MS;
    this.#allow(account, permits.spent);
    return permits;
  }

  #recalled(key: Json): Awaitable<void> {
    const account = typeof key === "string" ? this.#accounts.get(key) : undefined;
    return account?.isOpen === true ? this.#giveBack(account) : undefined;
  }

  /** Tells the store what was used and holds on to nothing. Never rejects. */
  async #giveBack(account: Account): Promise<void> {
    try {
      await this.#call(account, 0, 0);
    } catch (error) {
      this.#options.failed(error); // the loan ends by itself
    }
  }

  /** Asks the store, once the calls before are through; `spend` 0 gives everything back. */
  #call(account: Account, spend: number, most: number): Promise<Permits> {
    const call = account.lastCall.then(() => this.#ask(account, spend, most));
    account.lastCall = call.catch(() => {}); // whoever made the call hears of it
    return call;
  }

  async #ask(account: Account, spend: number, most: number): Promise<Permits> {
    const { limit, key, holder } = account;
    const sentAt = this.#now();
    if (spend === 0 || sentAt >= account.endsAt) account.held = 0;
    const used = account.used.map((at) => sentAt - at);
    const loan = {
      holder,
      hold: account.held,
      used,
      most,
      share: this.#share,
      loanMs: LOAN_MS,
    };
    this.#calls++;
    const permits = await this.#options.store.take(key, limit.rule, { spend, loan });
    const now = this.#now();
    account.used.splice(0, used.length);
    account.endsAt = sentAt + LOAN_MS; // the store counts from a later moment
    account.held += permits.lent;
    account.learn(permits, now);
    this.#note(account);
    return permits;
  }

  /** Remembers who has something on loan, so that it is given back in time. */
  #note(account: Account): void {
    if (account.isOpen) this.#open.add(account);
    else this.#open.delete(account);
    if (this.#open.size > 0) this.#cancelSweep ??= this.#schedule(() => this.#sweep(), SWEEP_MS);
  }

  #sweep(): void {
    this.#cancelSweep = null;
    const now = this.#now();
    let room = SWEPT;
    for (const account of this.#open) {
      const leftMs = account.endsAt - now;
      if (leftMs > LOAN_MS / 2 || (leftMs > 0 && room-- <= 0)) continue;
      this.#open.delete(account);
      if (leftMs > 0) void this.#giveBack(account);
      else account.forgetLoan(); // the store has counted all of it as used
    }
    if (this.#open.size > 0) this.#cancelSweep ??= this.#schedule(() => this.#sweep(), SWEEP_MS);
  }
}
