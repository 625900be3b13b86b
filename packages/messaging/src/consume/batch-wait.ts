import type { Clock } from "@framework/core/feature";

/** What the wait for a full batch needs. */
export interface BatchWaitParts {
  readonly clock: Clock;
  /** Entries of one batch. */
  readonly size: number;
  /** Longest wait for them; 0 for none. */
  readonly waitMs: number;
  /** Called at the end of the wait. */
  readonly due: () => void;
}

/** Waits for some time until a batch is full. */
export class BatchWait {
  private readonly parts: BatchWaitParts;
  private isDue = false;
  private cancel: (() => void) | null = null;

  constructor(parts: BatchWaitParts) {
    this.parts = parts;
  }

  /** Whether a batch waits for more entries than are ready. */
  holds(ready: number): boolean {
    const { size, waitMs } = this.parts;
    if (ready >= size || waitMs === 0 || this.isDue) return false;
    if (ready > 0) this.cancel ??= this.wait();
    return true;
  }

  /** Notes that a batch has begun: the next one waits anew. */
  begun(): void {
    this.isDue = false;
  }

  end(): void {
    this.cancel?.();
  }

  private wait(): () => void {
    const { clock, waitMs, due } = this.parts;
    return clock.after(waitMs, () => {
      this.cancel = null;
      this.isDue = true;
      due();
    });
  }
}
