import type { Clock } from "@framework/core/feature";

/** Minimum time after which the slot of a handler that ignores its signal is reused. */
const MIN_GRACE_MS = 10_000;

/** The slots of a queue in this process. A slot is taken until its handler has returned. */
export class Slots {
  private readonly size: number;
  private taken = 0;
  private abandoned = 0;

  constructor(size: number) {
    this.size = size;
  }

  get free(): number {
    return this.size - this.taken;
  }

  /** Number of running handlers, including handlers whose slots are reused. */
  get running(): number {
    return this.taken + this.abandoned;
  }

  take(): Slot {
    this.taken++;
    return new Slot(this);
  }

  /** Frees a slot whose handler still runs. Returns `false` if `size` such handlers are running. */
  abandon(): boolean {
    if (this.abandoned >= this.size) return false;
    this.taken--;
    this.abandoned++;
    return true;
  }

  release(isAbandoned: boolean): void {
    if (isAbandoned) this.abandoned--;
    else this.taken--;
  }
}

/** One slot. */
export class Slot {
  private readonly slots: Slots;
  private isAbandoned = false;
  private cancel: () => void = () => {};

  constructor(slots: Slots) {
    this.slots = slots;
  }

  /** Frees the slot if the handler, whose attempt has ended, does not return in time. */
  abandonAfter(clock: Clock, limitMs: number, onReleased: () => void): void {
    this.cancel = clock.after(Math.max(limitMs, MIN_GRACE_MS), () => {
      this.isAbandoned = this.slots.abandon();
      if (this.isAbandoned) onReleased();
    });
  }

  release(): void {
    this.cancel();
    this.slots.release(this.isAbandoned);
  }
}
