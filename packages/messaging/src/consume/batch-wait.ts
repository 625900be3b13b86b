import type { Clock } from "@framework/core/feature";

/** Dependencies of `BatchWait`. */
export interface BatchWaitParts {
  readonly clock: Clock;
  /** Size of a full batch. */
  readonly size: number;
  /** Longest wait for a full batch in milliseconds; 0 for none. */
  readonly waitMs: number;
  /** Called at the end of the wait. */
  readonly onDue: () => void;
}

/** Delays a batch until it is full, for at most `waitMs`. */
export class BatchWait {
  private readonly parts: BatchWaitParts;
  private isDue = false;
  private cancel: (() => void) | null = null;

  constructor(parts: BatchWaitParts) {
    this.parts = parts;
  }

  /** Starts the wait for a full batch if there are fewer `ready` entries. Returns whether the batch must wait. */
  waitIfPartial(ready: number): boolean {
    const { size, waitMs } = this.parts;
    if (ready >= size || waitMs === 0 || this.isDue) return false;
    if (ready > 0) this.cancel ??= this.wait();
    return true;
  }

  /** Ends the wait; the next partial batch has its own. Called when a batch begins, and when its messages were lost. */
  reset(): void {
    this.cancel?.();
    this.cancel = null;
    this.isDue = false;
  }

  end(): void {
    this.cancel?.();
  }

  private wait(): () => void {
    const { clock, waitMs, onDue } = this.parts;
    return clock.after(waitMs, () => {
      this.cancel = null;
      this.isDue = true;
      onDue();
    });
  }
}
