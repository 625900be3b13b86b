import type { Clock } from "@framework/core/feature";

/** Shortest time after which the slot of a handler that ignores its signal may be given again. */
const MIN_PATIENCE_MS = 10_000;

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

  /** Handlers that run, with those whose slots were given again. */
  get running(): number {
    return this.taken + this.abandoned;
  }

  take(): Slot {
    this.taken++;
    return new Slot(this);
  }

  /** Gives a slot free whose handler still runs; not for more than `size` at a time. */
  abandon(): boolean {
    if (this.abandoned >= this.size) return false;
    this.taken--;
    this.abandoned++;
    return true;
  }

  give(isAbandoned: boolean): void {
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

  /** Waits for a handler whose attempt has ended, and gives the slot free if it takes too long. */
  abandonAfter(clock: Clock, limitMs: number, given: () => void): void {
    this.cancel = clock.after(Math.max(limitMs, MIN_PATIENCE_MS), () => {
      this.isAbandoned = this.slots.abandon();
      if (this.isAbandoned) given();
    });
  }

  give(): void {
    this.cancel();
    this.slots.give(this.isAbandoned);
  }
}
