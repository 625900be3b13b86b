import type { Clock } from "@framework/core/feature";

/** A single timer for the earliest of many due times. */
export class DueTimer {
  private readonly clock: Clock;
  private readonly onDue: () => void;
  private dueAt = Infinity;
  private cancel: () => void = () => {};
  private hasEnded = false;

  constructor(clock: Clock, onDue: () => void) {
    this.clock = clock;
    this.onDue = onDue;
  }

  /** Schedules a call after a delay, unless one is due earlier. */
  set(delayMs: number): void {
    const at = this.clock.now() + delayMs;
    if (at >= this.dueAt || this.hasEnded) return;
    this.cancel();
    this.dueAt = at;
    this.cancel = this.clock.after(delayMs, () => {
      this.dueAt = Infinity;
      this.onDue();
    });
  }

  end(): void {
    this.hasEnded = true;
    this.cancel();
  }
}
