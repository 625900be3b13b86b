import type { Clock } from "@framework/core/feature";
import type { Attempt } from "./attempt.ts";

/** Options of `TimeLimits`. */
export interface TimeLimitsOptions {
  readonly clock: Clock;
  /** Time limit of each attempt, in milliseconds. */
  readonly limitMs: number;
  /** Called with an attempt whose handler has reached it. */
  readonly onReached: (attempt: Attempt) => void;
}

/** The time limits of the handlers of one queue. One timer is enough: all have the same limit, so they reach it in the order in which they began. */
export class TimeLimits {
  private readonly options: TimeLimitsOptions;
  private readonly open = new Set<Attempt>();
  private cancelTimer: (() => void) | null = null;

  constructor(options: TimeLimitsOptions) {
    this.options = options;
  }

  /** Starts the limit of an attempt. */
  begin(attempt: Attempt): void {
    this.open.add(attempt);
    if (this.cancelTimer === null) this.wait(this.options.limitMs);
  }

  /** Ends the limit of an attempt whose handler has returned. */
  end(attempt: Attempt): void {
    this.open.delete(attempt);
  }

  /** Ends all limits. */
  stop(): void {
    this.open.clear();
    this.cancelTimer?.();
    this.cancelTimer = null;
  }

  private wait(ms: number): void {
    this.cancelTimer = this.options.clock.after(ms, () => this.check());
  }

  private check(): void {
    const { clock, limitMs, onReached } = this.options;
    this.cancelTimer = null;
    for (const attempt of this.open) {
      const leftMs = attempt.beganAt + limitMs - clock.now();
      if (leftMs > 0) return this.wait(leftMs);
      this.open.delete(attempt);
      onReached(attempt);
    }
  }
}
