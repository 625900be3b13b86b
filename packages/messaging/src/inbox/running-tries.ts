import type { Clock } from "@framework/core/feature";
import { pause } from "@framework/durable/feature";

/** Tracks running tries, so that a stop can wait for them. */
export class RunningTries {
  private readonly running = new Set<Promise<unknown>>();

  /** Tracks a try until it ends, and returns it. */
  add<T>(one: Promise<T>): Promise<T> {
    const end = (): void => void this.running.delete(one);
    this.running.add(one);
    one.then(end, end);
    return one;
  }

  /** Resolves when the tries that run now have ended, or after `limitMs`. */
  async untilEnded(clock: Clock, limitMs: number): Promise<void> {
    if (this.running.size === 0) return;
    const limit = new AbortController();
    void Promise.allSettled(this.running).then(() => limit.abort());
    await pause(clock, limitMs, limit.signal);
  }
}
