import type { Clock } from "@framework/core/feature";

/** Lets one loop wait for a time, or until a ring. A ring while it works ends its next wait. */
export class Bell {
  private readonly clock: Clock;
  private isRung = false;
  private wake: (() => void) | null = null;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  ring(): void {
    this.isRung = true;
    this.wake?.();
  }

  /** Resolves after `ms` milliseconds, at a ring, or when the signal aborts. */
  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.isRung && signal?.aborted !== true) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = this.clock.after(ms, resolve);
      this.wake = resolve;
      signal?.addEventListener("abort", this.wake, { once: true });
      await promise;
      signal?.removeEventListener("abort", this.wake);
      this.wake = null;
      cancel();
    }
    this.isRung = false;
  }
}

/** Pauses of a loop that looks for more: they double while it finds none. */
export class Pauses {
  private nextMs = SHORTEST_MS;

  /** The pause after a look. */
  after(hasFound: boolean): number {
    if (hasFound) this.nextMs = SHORTEST_MS;
    const ms = this.nextMs;
    this.nextMs = Math.min(LONGEST_MS, ms * 2);
    return ms;
  }
}

const SHORTEST_MS = 50;
const LONGEST_MS = 1000;
