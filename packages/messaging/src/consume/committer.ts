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

/** Maximum delay of a commit, in milliseconds. */
const MAX_COMMIT_DELAY_MS = 200;

/** Number of committable deliveries of a partition that triggers a commit at once. */
const MAX_COMMITTABLE = 500;

/** Commits the finished deliveries at the head of each partition's window: after 200 ms, or at once if there are 500. */
export class Committer {
  private readonly parts: CommitterParts;
  private cancel: (() => void) | null = null;

  constructor(parts: CommitterParts) {
    this.parts = parts;
  }

  /** Called when a delivery of a window is finished. */
  commitIfDue(window: PartitionWindow): void {
    if (window.committable >= MAX_COMMITTABLE) this.commit(window);
    else if (window.committable > 0)
      this.cancel ??= this.parts.clock.after(MAX_COMMIT_DELAY_MS, () => this.commitAll());
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
