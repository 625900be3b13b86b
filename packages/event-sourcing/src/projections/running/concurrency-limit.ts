/** Limits concurrency; further calls wait in order. The queue is bounded by the number of shards of a process. */
export class ConcurrencyLimit {
  private readonly limit: () => number;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** @param limit read at each call, because the database of an app is known only at its start */
  constructor(limit: () => number) {
    this.limit = limit;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.limit()) this.running++;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.running--;
      else next();
    }
  }
}
