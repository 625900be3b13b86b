/** Limits the concurrent attempts of one version in this process. Waits hold no slot. */
export class Slots {
  private free: number;
  private readonly queue: (() => void)[] = [];

  constructor(count: number) {
    this.free = count;
  }

  /** Waits for a slot. Returns a function that releases it; `null` if the signal aborts first. */
  async take(signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return null;
    if (this.free > 0) this.free--;
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = (): void => resolve();
      this.queue.push(wake);
      signal.addEventListener("abort", wake, { once: true });
      await promise;
      signal.removeEventListener("abort", wake);
      if (signal.aborted) return null;
    }
    return () => this.release();
  }

  private release(): void {
    const next = this.queue.shift();
    if (next === undefined) this.free++;
    else next();
  }
}
