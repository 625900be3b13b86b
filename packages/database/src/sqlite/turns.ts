import { DatabaseUnavailableError } from "../database-errors.ts";

interface Waiter {
  readonly go: () => void;
  readonly timer: NodeJS.Timeout;
}

/** What the turns are for, how long a caller waits for its own, and how many callers may wait. */
export interface TurnsOptions {
  readonly what: string;
  readonly waitMs: number;
  readonly maxWaiting: number;
}

/** One holder at a time, first come first served, each waiting a bounded time. */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #waiting = new Set<Waiter>();
  #taken = false;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get taken(): boolean {
    return this.#taken;
  }

  /** Takes the turn when it is free right now. */
  tryTake(): boolean {
    if (this.#taken) return false;
    this.#taken = true;
    return true;
  }

  /** @throws DatabaseUnavailableError when the turn does not come in time, or too many wait already */
  async take(signal?: AbortSignal): Promise<void> {
    if (this.tryTake()) return;
    const { what, waitMs, maxWaiting } = this.#options;
    if (this.#waiting.size >= maxWaiting)
      throw new DatabaseUnavailableError(`${maxWaiting} callers wait for ${what} already`);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (error: unknown): void => {
      clearTimeout(waiter.timer);
      this.#waiting.delete(waiter);
      reject(error);
    };
    const late = (): void => leave(new DatabaseUnavailableError(`no turn for ${what} in ${waitMs} ms`));
    const waiter: Waiter = { go: resolve, timer: setTimeout(late, waitMs) };
    this.#waiting.add(waiter);
    const aborted = (): void => leave(signal?.reason);
    signal?.addEventListener("abort", aborted, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", aborted);
    }
  }

  /** Gives the turn to whoever waits longest. */
  give(): void {
    for (const waiter of this.#waiting) {
      clearTimeout(waiter.timer);
      this.#waiting.delete(waiter);
      waiter.go();
      return;
    }
    this.#taken = false;
  }
}
