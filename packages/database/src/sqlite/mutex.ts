import { DatabaseUnavailableError } from "../database-errors.ts";

interface Waiter {
  readonly acquire: () => void;
  readonly timer: NodeJS.Timeout;
}

export interface MutexOptions {
  /** Name of the protected resource, for error messages. */
  readonly resource: string;
  /** Added to the timeout error of a caller that waited for a single holder the entire time. @default nothing */
  readonly hint?: string;
  /** Maximum wait of a caller in milliseconds. */
  readonly waitMs: number;
  readonly maxWaiting: number;
}

/** A fair mutex with a bounded queue and bounded waits. */
export class Mutex {
  private readonly options: MutexOptions;
  private readonly waiters = new Set<Waiter>();
  private isHeld = false;
  /** Number of holders so far. */
  private holders = 0;

  constructor(options: MutexOptions) {
    this.options = options;
  }

  get waiting(): number {
    return this.waiters.size;
  }

  get held(): boolean {
    return this.isHeld;
  }

  /** Acquires the mutex if it is free. */
  tryAcquire(): boolean {
    if (this.isHeld) return false;
    this.isHeld = true;
    this.holders++;
    return true;
  }

  /** @throws DatabaseUnavailableError if the mutex is not free in time, or the queue is full; the signal's reason if it aborts during the wait */
  async acquire(signal?: AbortSignal, waitMs: number = this.options.waitMs): Promise<void> {
    if (this.tryAcquire()) return;
    const { resource, maxWaiting } = this.options;
    if (this.waiters.size >= maxWaiting)
      throw new DatabaseUnavailableError(`${maxWaiting} callers are already waiting for ${resource}`);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const rejectWaiter = (error: unknown): void => {
      clearTimeout(waiter.timer);
      this.waiters.delete(waiter);
      reject(error);
    };
    const { holders } = this;
    const onTimeout = (): void => {
      const hint = this.holders === holders ? (this.options.hint ?? "") : "";
      rejectWaiter(new DatabaseUnavailableError(`${resource} did not become free in ${waitMs} ms${hint}`));
    };
    const waiter: Waiter = { acquire: resolve, timer: setTimeout(onTimeout, waitMs) };
    this.waiters.add(waiter);
    const onAbort = (): void => rejectWaiter(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Passes the mutex to the caller that has waited longest; frees it if there is none. */
  release(): void {
    for (const waiter of this.waiters) {
      clearTimeout(waiter.timer);
      this.waiters.delete(waiter);
      this.holders++;
      waiter.acquire();
      return;
    }
    this.isHeld = false;
  }
}
