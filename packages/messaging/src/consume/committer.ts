import type { Clock } from "@framework/core/feature";
import type { Settlement } from "../port/delivery.ts";
import type { PartitionWindow } from "./partition-window.ts";

/** What committing needs. */
export interface CommitterParts {
  readonly clock: Clock;
  /** Windows by partition. */
  readonly windows: ReadonlyMap<string, PartitionWindow>;
  readonly settle: (settlement: Settlement) => void;
}

/** Longest time that a finished delivery waits for its commit. */
const EVERY_MS = 200;

/** Finished deliveries of a partition that are committed at once. */
const EVERY_MESSAGES = 500;

/** Commits what is finished at the start of each partition's window: every 200 ms, or every 500 messages. */
export class Committer {
  private readonly parts: CommitterParts;
  private cancel: (() => void) | null = null;

  constructor(parts: CommitterParts) {
    this.parts = parts;
  }

  /** Called when a delivery of a window is finished. */
  finished(window: PartitionWindow): void {
    if (window.committable >= EVERY_MESSAGES) this.commit(window);
    else if (window.committable > 0) this.cancel ??= this.parts.clock.after(EVERY_MS, () => this.commitAll());
  }

  /** Commits everything that is finished. */
  commitAll(): void {
    this.cancel?.();
    this.cancel = null;
    for (const window of this.parts.windows.values()) this.commit(window);
  }

  private commit(window: PartitionWindow): void {
    const delivery = window.takeCommit();
    if (delivery !== null) this.parts.settle({ delivery, action: "done" });
  }
}
