import type { Awaitable } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { StoredReply } from "./store/cache-store.ts";

/** The reply of a shared call, for the requests that waited for it. */
export interface SharedResult {
  /** Store key of the reply. */
  readonly key: string;
  /** Request fields that the reply depends on. */
  readonly names: readonly string[];
  readonly entry: StoredReply;
  /** Outcome for the requests that use the reply. */
  readonly outcome: "HIT" | "REVALIDATED" | "STALE";
}

/**
 * Outcome of a shared call for its waiting requests: a reply; `"again"` if an invalidation during the call outdated the reply; `null` if the reply
 * cannot be shared or the wait times out: each waiting request then calls the handler.
 */
export type SharedOutcome = SharedResult | "again" | null;

/** Options of `Coalescing`. */
export interface CoalescingOptions {
  readonly clock: Clock;
  /** Timeout of requests that wait for a shared call, in milliseconds. */
  readonly waitMs: number;
}

/** Maximum number of keys remembered as unshareable. */
const MAX_UNSHAREABLE = 1000;
/** Time for which a key is remembered as unshareable. */
const UNSHAREABLE_MS = 10_000;
/** Maximum number of results kept for requests that were reading the store when the calls ended. */
const MAX_RESULTS = 1000;

/** Request coalescing (single flight): one handler call per key. Concurrent requests for the key wait for it and use its reply if it may be shared. */
export class Coalescing {
  private readonly calls = new Map<string, SharedCall>();
  private readonly unshareable = new Map<string, number>();
  /** Results of calls that ended while a request was reading the store, by key, in order of their numbers. */
  private readonly results = new Map<string, { readonly result: SharedResult; readonly number: number }>();
  private lastResult = 0;
  /** The reads of the store in progress, oldest first, with the number of the last result at their start. */
  private readonly pendingReads = new Set<{ readonly since: number }>();
  private readonly options: CoalescingOptions;

  constructor(options: CoalescingOptions) {
    this.options = options;
  }

  /** Returns the running call for a key, unless it has run for `waitMs`. */
  callFor(key: string): SharedCall | undefined {
    const call = this.calls.get(key);
    return call === undefined || call.hasTimedOut ? undefined : call;
  }

  /** Starts the call for a key. */
  start(key: string): SharedCall {
    const { clock, waitMs } = this.options;
    const call: SharedCall = new SharedCall(clock, waitMs, (outcome) => {
      if (this.calls.get(key) === call) this.calls.delete(key);
      if (this.pendingReads.size > 0 && outcome !== null && outcome !== "again")
        this.noteResult(key, outcome);
    });
    this.calls.set(key, call);
    return call;
  }

  /**
   * Keeps the results of calls that end during `read`, a read of an asynchronous store: the entry found may be older than these results.
   *
   * @param use receives the entry and the kept result for its key. It runs synchronously, so later requests find the call that it starts
   */
  duringRead<T extends { readonly key: string }, U>(
    read: Promise<T>,
    use: (found: T, newerResult: SharedResult | undefined) => Awaitable<U>,
  ): Promise<U> {
    const pending = { since: this.lastResult };
    this.pendingReads.add(pending);
    const end = (): void => {
      this.pendingReads.delete(pending);
      this.dropOldResults();
    };
    return read.then(
      (found) => {
        const last = this.results.get(found.key);
        try {
          return use(found, last !== undefined && last.number > pending.since ? last.result : undefined);
        } finally {
          end();
        }
      },
      (error: unknown) => {
        end();
        throw error;
      },
    );
  }

  /** Whether the last reply for a key could not be shared: waiting for the next one would only delay the clients. */
  isUnshareable(key: string): boolean {
    const until = this.unshareable.get(key);
    return until !== undefined && until > this.options.clock.now();
  }

  noteUnshareable(key: string): void {
    this.unshareable.delete(key);
    this.unshareable.set(key, this.options.clock.now() + UNSHAREABLE_MS);
    if (this.unshareable.size <= MAX_UNSHAREABLE) return;
    const [oldest] = this.unshareable.keys();
    if (oldest !== undefined) this.unshareable.delete(oldest);
  }

  noteShareable(key: string): void {
    this.unshareable.delete(key);
  }

  /** Drops the results that are older than every pending read. */
  private dropOldResults(): void {
    const [oldestRead] = this.pendingReads;
    for (const [key, { number }] of this.results) {
      if (oldestRead !== undefined && number > oldestRead.since) return;
      this.results.delete(key);
    }
  }

  private noteResult(key: string, result: SharedResult): void {
    this.results.delete(key);
    this.results.set(key, { result, number: ++this.lastResult });
    if (this.results.size <= MAX_RESULTS) return;
    const [oldest] = this.results.keys();
    if (oldest !== undefined) this.results.delete(oldest);
  }
}

/** One call of the handler that other requests may wait for. */
export class SharedCall {
  private readonly clock: Clock;
  private readonly endMs: number;
  private readonly onEnd: (outcome: SharedOutcome) => void;
  private waiting: PromiseWithResolvers<SharedOutcome> | null = null;
  private cancel: (() => void) | null = null;

  constructor(clock: Clock, waitMs: number, onEnd: (outcome: SharedOutcome) => void) {
    this.clock = clock;
    this.endMs = clock.now() + waitMs;
    this.onEnd = onEnd;
  }

  get hasTimedOut(): boolean {
    return this.clock.now() >= this.endMs;
  }

  /** Waits for the end of the call, at most until its timeout. */
  result(): Promise<SharedOutcome> {
    if (this.waiting !== null) return this.waiting.promise;
    const waiting = Promise.withResolvers<SharedOutcome>();
    this.waiting = waiting;
    this.cancel = this.clock.after(Math.max(0, this.endMs - this.clock.now()), () => waiting.resolve(null));
    return waiting.promise;
  }

  /** Ends the call and notifies the waiting requests. A later `settle(null)` has no effect. */
  settle(outcome: SharedOutcome): void {
    this.onEnd(outcome);
    this.cancel?.();
    this.waiting?.resolve(outcome);
  }
}
