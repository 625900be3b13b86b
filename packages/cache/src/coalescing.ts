import type { Awaitable } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { StoredReply } from "./store/cache-store.ts";

/** The reply of a shared call, for the requests that waited for it. */
export interface SharedResult {
  /** Key that the reply is stored under. */
  readonly key: string;
  /** Request fields that the reply depends on. */
  readonly names: readonly string[];
  readonly entry: StoredReply;
  /** Outcome for the requests that take it. */
  readonly how: "HIT" | "REVALIDATED" | "STALE";
}

/**
 * What waiting requests get: a reply; `"again"` when a drop meanwhile made it too old to share; `null` when it cannot be shared or is late, so that
 * each of them calls the handler at once.
 */
export type SharedOutcome = SharedResult | "again" | null;

/** Options of `Coalescing`. */
export interface CoalescingOptions {
  readonly clock: Clock;
  /** Most milliseconds that requests wait for a shared call. */
  readonly waitMs: number;
}

/** Most keys remembered because their replies cannot be shared, and for how long. */
const maxUnshareable = 1000;
const unshareableMs = 10_000;
/** Most results remembered for requests that were reading the store when the calls ended. */
const maxResults = 1000;

/** Request coalescing (single flight): one call of the handler for each key; requests for that key meanwhile wait for it, and take its reply if it may be shared. */
export class Coalescing {
  private readonly calls = new Map<string, SharedCall>();
  private readonly unshareable = new Map<string, number>();
  /** Results of calls that ended while a request was reading the store, by key. */
  private readonly results = new Map<string, { readonly result: SharedResult; readonly number: number }>();
  private lastResult = 0;
  private looking = 0;
  private readonly options: CoalescingOptions;

  constructor(options: CoalescingOptions) {
    this.options = options;
  }

  /** The call for a key that requests may wait for. */
  callFor(key: string): SharedCall | undefined {
    const call = this.calls.get(key);
    return call === undefined || call.isLate ? undefined : call;
  }

  /** Begins the call for a key. */
  start(key: string): SharedCall {
    const { clock, waitMs } = this.options;
    const call: SharedCall = new SharedCall(clock, waitMs, (outcome) => {
      if (this.calls.get(key) === call) this.calls.delete(key);
      if (this.looking > 0 && outcome !== null && outcome !== "again") this.noteResult(key, outcome);
    });
    this.calls.set(key, call);
    return call;
  }

  /**
   * Remembers calls that end while `finding`, an asynchronous read of the store, is under way: the entry that it finds may be older than their results.
   *
   * @param use gets the entry, and the result for its key, in one step: later requests see the call that `use` began
   */
  whileLooking<T extends { readonly key: string }, U>(
    finding: Promise<T>,
    use: (found: T, missed: SharedResult | undefined) => Awaitable<U>,
  ): Promise<U> {
    const since = this.lastResult;
    this.looking++;
    const leave = (): void => {
      if (--this.looking === 0) this.results.clear();
    };
    return finding.then(
      (found) => {
        const last = this.results.get(found.key);
        try {
          return use(found, last !== undefined && last.number > since ? last.result : undefined);
        } finally {
          leave();
        }
      },
      (error: unknown) => {
        leave();
        throw error;
      },
    );
  }

  /** Whether the last reply for a key could not be shared: to wait for the next would only queue the clients. */
  isUnshareable(key: string): boolean {
    const until = this.unshareable.get(key);
    return until !== undefined && until > this.options.clock.now();
  }

  noteUnshareable(key: string): void {
    this.unshareable.delete(key);
    this.unshareable.set(key, this.options.clock.now() + unshareableMs);
    if (this.unshareable.size <= maxUnshareable) return;
    const [oldest] = this.unshareable.keys();
    if (oldest !== undefined) this.unshareable.delete(oldest);
  }

  noteShareable(key: string): void {
    this.unshareable.delete(key);
  }

  private noteResult(key: string, result: SharedResult): void {
    this.results.delete(key);
    this.results.set(key, { result, number: ++this.lastResult });
    if (this.results.size <= maxResults) return;
    const [oldest] = this.results.keys();
    if (oldest !== undefined) this.results.delete(oldest);
  }
}

/** One call of the handler that other requests may wait for. */
export class SharedCall {
  private readonly clock: Clock;
  private readonly endMs: number;
  private readonly ended: (outcome: SharedOutcome) => void;
  private waiting: PromiseWithResolvers<SharedOutcome> | null = null;
  private cancel: (() => void) | null = null;

  constructor(clock: Clock, waitMs: number, ended: (outcome: SharedOutcome) => void) {
    this.clock = clock;
    this.endMs = clock.now() + waitMs;
    this.ended = ended;
  }

  get isLate(): boolean {
    return this.clock.now() >= this.endMs;
  }

  /** Waits for the end of the call, at most until it is late. */
  result(): Promise<SharedOutcome> {
    if (this.waiting !== null) return this.waiting.promise;
    const waiting = Promise.withResolvers<SharedOutcome>();
    this.waiting = waiting;
    this.cancel = this.clock.after(Math.max(0, this.endMs - this.clock.now()), () => waiting.resolve(null));
    return waiting.promise;
  }

  /** Ends the call; only the first end counts. */
  settle(outcome: SharedOutcome): void {
    this.ended(outcome);
    this.cancel?.();
    this.waiting?.resolve(outcome);
  }
}
