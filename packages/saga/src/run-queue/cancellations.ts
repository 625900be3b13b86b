import type { Clock } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import type { Kernel } from "@framework/durable/feature";

/** Dependencies of `Cancellations`. */
export interface CancellationsParts {
  /** Sends and receives the signals; an app's `wakeUp` is available after the start. */
  readonly kernel: Pick<Kernel, "wakeUp">;
  readonly clock: Clock;
  /** Returns the ids of the given instances that are cancelled. */
  readonly cancelledOf: (ids: readonly string[]) => Promise<readonly string[]>;
}

/** Channel of the signal that a saga was cancelled; any process may be running it. */
const CHANNEL = "saga-cancelled";
/** Interval of polls, in milliseconds. Signals may be lost, and do not reach other processes on SQLite. */
const POLL_MS = 5000;

/** Notifies attempts in this process when their saga is cancelled by any process. */
export class Cancellations {
  private readonly parts: CancellationsParts;
  private readonly watched = new Map<() => void, string>();
  private end: () => void = () => {};

  constructor(parts: CancellationsParts) {
    this.parts = parts;
  }

  /** Signals a cancellation after the commit. */
  announce(tx: Transaction): void {
    this.parts.kernel.wakeUp.signalAfter(tx, CHANNEL);
  }

  /** Calls `onCancelled`, perhaps more than once, when an instance is cancelled. Returns a function that unsubscribes. */
  watch(id: string, onCancelled: () => void): () => void {
    if (this.watched.size === 0) this.begin();
    this.watched.set(onCancelled, id);
    return () => {
      if (this.watched.delete(onCancelled) && this.watched.size === 0) this.end();
    };
  }

  private begin(): void {
    const { kernel, clock } = this.parts;
    const endSignals = kernel.wakeUp.on(CHANNEL, () => void this.poll());
    let cancel = (): void => {};
    const schedule = (): void => {
      cancel = clock.after(POLL_MS, () => (schedule(), void this.poll()));
    };
    schedule();
    this.end = () => (endSignals(), cancel());
  }

  private async poll(): Promise<void> {
    const ids = Array.from(new Set(this.watched.values()));
    const cancelled = new Set(await this.parts.cancelledOf(ids).catch((): string[] => [])); // the next poll finds them
    for (const [notify, id] of this.watched) if (cancelled.has(id)) notify();
  }
}
