import type { Clock } from "@framework/core/feature";

/** Lets one loop wait for a time or a notification. A notification during its work ends its next wait at once. */
export class WakeSignal {
  private readonly clock: Clock;
  private isNotified = false;
  private wake: (() => void) | null = null;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  notify(): void {
    this.isNotified = true;
    this.wake?.();
  }

  /** Resolves after `ms` milliseconds, at a notification, or when the signal aborts. */
  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.isNotified && signal?.aborted !== true) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = this.clock.after(ms, resolve);
      this.wake = resolve;
      signal?.addEventListener("abort", this.wake, { once: true });
      await promise;
      signal?.removeEventListener("abort", this.wake);
      this.wake = null;
      cancel();
    }
    this.isNotified = false;
  }
}

/** Pauses of a polling loop: 50 ms after a poll that found something, doubled after each one that did not, up to 1 s. */
export class PollBackoff {
  private nextMs = MIN_MS;

  /** Returns the pause after a poll, in milliseconds. */
  after(hasFound: boolean): number {
    if (hasFound) this.nextMs = MIN_MS;
    const ms = this.nextMs;
    this.nextMs = Math.min(MAX_MS, ms * 2);
    return ms;
  }
}

const MIN_MS = 50;
const MAX_MS = 1000;
