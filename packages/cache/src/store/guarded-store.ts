import { type Awaitable, FrameworkError, type Logger } from "@framework/core";
import { type Clock, isPromise, throttledLog } from "@framework/core/feature";
import type { CacheEntry, CacheStore, SetOptions } from "./cache-store.ts";

/** What a guarded store needs from around it. */
export interface GuardedStoreOptions {
  readonly clock: Clock;
  /** Milliseconds after which a call counts as failed. */
  readonly timeoutMs: number;
}

const quietMs = 10_000;

/**
 * A store whose failures do not reach callers: a failed read is a miss. Failures are counted, and logged at most every 10 s.
 *
 * Only `drop` rejects, since it promises that the replies are gone.
 */
export class GuardedStore {
  readonly shared: boolean;
  /** Calls that failed or were late. */
  failures = 0;
  /** Where failures are written; the app's log from start on. */
  log: Pick<Logger, "error"> = console;
  private readonly store: CacheStore;
  private readonly options: GuardedStoreOptions;
  private readonly writing = new Set<Promise<unknown>>();
  private readonly logSometimes: ReturnType<typeof throttledLog>;

  constructor(store: CacheStore, options: GuardedStoreOptions) {
    this.store = store;
    this.options = options;
    this.logSometimes = throttledLog({ everyMs: quietMs, clock: options.clock });
    this.shared = store.shared;
  }

  get(key: string): Awaitable<CacheEntry | undefined> {
    return this.guarded(() => this.store.get(key), undefined);
  }

  set(key: string, entry: CacheEntry, options: SetOptions): void {
    this.write(() => this.store.set(key, entry, options));
  }

  delete(key: string): void {
    this.write(() => this.store.delete(key));
  }

  /** @throws CACHE_STORE_UNAVAILABLE */
  async drop(tags: readonly string[]): Promise<number> {
    const dropped = await this.guarded(() => this.store.drop(tags), null);
    if (dropped !== null) return dropped;
    throw new FrameworkError(
      "CACHE_STORE_UNAVAILABLE",
      "cache: the store did not drop the replies; try again",
    );
  }

  /** Resolves when every write that has begun is over. */
  async written(): Promise<void> {
    await Promise.all(this.writing);
  }

  private write(call: () => Awaitable<boolean>): void {
    const writing = this.guarded(call, false);
    if (!isPromise(writing)) return;
    this.writing.add(writing);
    void writing.finally(() => this.writing.delete(writing));
  }

  private guarded<T, Lost>(call: () => Awaitable<T>, lost: Lost): Awaitable<T | Lost> {
    try {
      const result = call();
      return isPromise(result) ? this.inTime(result, lost) : result;
    } catch (error) {
      return this.failed(error, lost);
    }
  }

  private inTime<T, Lost>(result: Promise<T>, lost: Lost): Promise<T | Lost> {
    const { promise, resolve } = Promise.withResolvers<T | Lost>();
    const { clock, timeoutMs } = this.options;
    const cancel = clock.after(timeoutMs, () =>
      resolve(this.failed(new Error(`the store did not answer within ${timeoutMs} ms`), lost)),
    );
    result.then(resolve, (error: unknown) => resolve(this.failed(error, lost))).finally(cancel);
    return promise;
  }

  private failed<Lost>(error: unknown, lost: Lost): Lost {
    this.failures++;
    const { failures } = this;
    this.logSometimes(() =>
      this.log.error("cache: the store failed; requests go to their handlers", {
        code: "CACHE_STORE_UNAVAILABLE",
        error,
        failures,
      }),
    );
    return lost;
  }
}
