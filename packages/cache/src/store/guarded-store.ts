import { type Awaitable, HttpError, type Logger } from "@framework/core";
import { type Clock, isPromise, mapAwaitable, throttledLog, withTimeout } from "@framework/core/feature";
import type { CacheEntry, CacheStore, SetOptions } from "./cache-store.ts";

/** Options of `GuardedStore`. */
export interface GuardedStoreOptions {
  readonly clock: Clock;
  /** Timeout of a call, in milliseconds. */
  readonly timeoutMs: number;
}

const LOG_INTERVAL_MS = 10_000;
/** Maximum wait of a drop for pending writes, in milliseconds: its publisher waits 1 s for a worker. */
const MAX_WAIT_MS = 500;
/** Tag of all entries of a store of this process; other tags have a prefix. */
const EVERY_ENTRY = "*";

/**
 * Wraps a store so that its failures do not reach callers: a failed read counts as a miss. Failures are counted, and logged at most every 10 s.
 *
 * Only `drop` and `clear` reject: their callers rely on the removal.
 */
export class GuardedStore {
  readonly shared: boolean;
  /** Number of calls that failed or timed out. */
  failures = 0;
  /** Log for failures; the app's log once it starts. */
  log: Pick<Logger, "error"> = console;
  /** Whether this worker receives the drops of the other workers; otherwise the entries of its own store are not used. */
  isCurrent: () => boolean = () => true;
  private readonly store: CacheStore;
  private readonly options: GuardedStoreOptions;
  private readonly pendingWrites = new Set<Promise<unknown>>();
  /** Number of drops that have begun. */
  private drops = 0;
  /** Number of the last drop that no longer waits for pending writes. */
  private endedWaits = 0;
  private readonly logThrottled: ReturnType<typeof throttledLog>;

  constructor(store: CacheStore, options: GuardedStoreOptions) {
    this.store = store;
    this.options = options;
    this.logThrottled = throttledLog({ everyMs: LOG_INTERVAL_MS, clock: options.clock });
    this.shared = store.shared;
  }

  get(key: string): Awaitable<CacheEntry | undefined> {
    if (!this.shared && !this.isCurrent()) return undefined;
    return this.guarded(() => this.store.get(key), undefined);
  }

  set(key: string, entry: CacheEntry, options: SetOptions): void {
    const own = this.shared ? options : { ...options, tags: [...options.tags, EVERY_ENTRY] };
    const { drops } = this;
    // An entry that a later drop did not wait for may be outdated.
    this.write(() =>
      mapAwaitable(this.store.set(key, entry, own), (isStored) =>
        isStored && this.endedWaits > drops ? this.store.delete(key) : isStored,
      ),
    );
  }

  delete(key: string): void {
    this.write(() => this.store.delete(key));
  }

  /** @throws CACHE_STORE_UNAVAILABLE */
  async drop(tags: readonly string[]): Promise<number> {
    const dropped = await this.guarded(() => this.store.drop(tags), null);
    if (dropped !== null) return dropped;
    throw new HttpError(503, "The cache is not available", {
      code: "CACHE_STORE_UNAVAILABLE",
      headers: { "retry-after": "1" },
      retry_after: 1,
      cause: new Error("cache: the store did not drop the replies"),
    });
  }

  /** Removes every entry of the store of this process. @throws CACHE_STORE_UNAVAILABLE */
  async clear(): Promise<void> {
    await this.waitForWrites();
    if (!this.shared) await this.drop([EVERY_ENTRY]);
  }

  /** Waits for the pending writes, before a drop, until they time out, at most 500 ms. An entry that is stored later is removed again. */
  async waitForWrites(): Promise<void> {
    const drop = ++this.drops;
    if (this.pendingWrites.size > 0)
      await withTimeout(Promise.all(this.pendingWrites), MAX_WAIT_MS, this.options.clock, () => []);
    this.endedWaits = Math.max(this.endedWaits, drop);
  }

  private write(call: () => Awaitable<boolean>): void {
    const writing = this.guarded(call, false);
    if (!isPromise(writing)) return;
    this.pendingWrites.add(writing);
    void writing.finally(() => this.pendingWrites.delete(writing));
  }

  private guarded<T, Fallback>(call: () => Awaitable<T>, fallback: Fallback): Awaitable<T | Fallback> {
    try {
      const result = call();
      return isPromise(result) ? this.withTimeout(result, fallback) : result;
    } catch (error) {
      return this.recordFailure(error, fallback);
    }
  }

  private withTimeout<T, Fallback>(result: Promise<T>, fallback: Fallback): Promise<T | Fallback> {
    const { promise, resolve } = Promise.withResolvers<T | Fallback>();
    const { clock, timeoutMs } = this.options;
    let hasTimedOut = false;
    const cancel = clock.after(timeoutMs, () => {
      hasTimedOut = true;
      resolve(this.recordFailure(new Error(`the store did not answer within ${timeoutMs} ms`), fallback));
    });
    const fail = (error: unknown): void => {
      if (!hasTimedOut) resolve(this.recordFailure(error, fallback)); // the timeout has been counted already
    };
    result.then(resolve, fail).finally(cancel);
    return promise;
  }

  private recordFailure<Fallback>(error: unknown, fallback: Fallback): Fallback {
    this.failures++;
    const { failures } = this;
    this.logThrottled(() =>
      this.log.error("cache: the store failed; handlers answer the requests", {
        code: "CACHE_STORE_UNAVAILABLE",
        error,
        failures,
      }),
    );
    return fallback;
  }
}
