import type { Metric, Sample } from "@framework/core/feature";

/** Counted events; `refused` is a cookie without a live session. */
export type SessionEvent = "created" | "rotated" | "destroyed" | "refused";

/** Counts session events in this process: four numbers, so clients cannot use up memory. */
export class SessionCounts {
  private readonly counts: Record<SessionEvent, number> = {
    created: 0,
    rotated: 0,
    destroyed: 0,
    refused: 0,
  };

  add(event: SessionEvent): void {
    this.counts[event]++;
  }

  /** The counts as a metric. */
  metric(): Metric {
    return {
      name: "sessions_total",
      help: "Sessions that were created, got a new id or were destroyed, and cookies without a live session.",
      type: "counter",
      read: () => this.samples(),
    };
  }

  private samples(): Sample[] {
    return Object.entries(this.counts).map(([event, value]) => ({ value, labels: { event } }));
  }
}
