import type { Clock } from "@framework/core/feature";
import type { Settlement } from "../port/delivery.ts";
import type { PartitionWindow } from "./partition-window.ts";

/** Dependencies of `Committer`. */
export interface CommitterParts {
  readonly clock: Clock;
  /** Windows by partition. */
  readonly windows: ReadonlyMap<string, PartitionWindow>;
  readonly settle: (settlement: Settlement) => void;
}

/** Longest time in milliseconds until a finished delivery is committed. */
const EVERY_MS = 200;

/** Number of finished deliveries of a partition that triggers a commit at once. */
const EVERY_MESSAGES = 500;

/** Commits the finished deliveries at the head of each partition's window: every 200 ms or 500 messages. */
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

  /** Commits the finished deliveries of all windows. */
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
