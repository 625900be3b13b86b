import type { Clock } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import type { Kernel } from "@framework/durable/feature";

/** What tells of cancelled sagas. */
export interface CancellationsParts {
  /** Its signals reach other processes; an app's is there from the start on. */
  readonly kernel: Pick<Kernel, "wakeUp">;
  readonly clock: Clock;
  /** Returns those of the instances that are cancelled. */
  readonly cancelledOf: (ids: readonly string[]) => Promise<readonly string[]>;
}

/** Channel of the signal that a saga was cancelled which may run in some process. */
const CHANNEL = "saga-cancelled";
/** Time between two looks: signals may be lost, and other processes on SQLite get none. */
const LOOK_MS = 5000;

/** Tells the attempts of this process when their sagas are cancelled, in any process. */
export class Cancellations {
  private readonly parts: CancellationsParts;
  private readonly watched = new Map<() => void, string>();
  private end: () => void = () => {};

  constructor(parts: CancellationsParts) {
    this.parts = parts;
  }

  /** Tells all processes, after the commit. */
  announce(tx: Transaction): void {
    this.parts.kernel.wakeUp.signalAfter(tx, CHANNEL);
  }

  /** Calls back when an instance is cancelled. Returns what ends it. */
  watch(id: string, cancelled: () => void): () => void {
    if (this.watched.size === 0) this.begin();
    this.watched.set(cancelled, id);
    return () => {
      if (this.watched.delete(cancelled) && this.watched.size === 0) this.end();
    };
  }

  private begin(): void {
    const { kernel, clock } = this.parts;
    const endSignals = kernel.wakeUp.on(CHANNEL, () => void this.look());
    let cancel = (): void => {};
    const again = (): void => {
      cancel = clock.after(LOOK_MS, () => (again(), void this.look()));
    };
    again();
    this.end = () => (endSignals(), cancel());
  }

  private async look(): Promise<void> {
    const ids = Array.from(new Set(this.watched.values()));
    const cancelled = new Set(await this.parts.cancelledOf(ids).catch((): string[] => [])); // the next look tells
    for (const [tell, id] of this.watched) if (cancelled.has(id)) tell();
  }
}
