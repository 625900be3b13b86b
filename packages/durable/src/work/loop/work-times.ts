import type { Histogram, HostInsight } from "@framework/core/feature";
import type { AttemptOutcome } from "./work-counts.ts";

/** Bounds for work that takes milliseconds to minutes. */
const buckets = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30, 60, 300, 1800];

/** Histograms of the queues of a process. Without an app, nothing is recorded. */
export class WorkTimes {
  private duration: Histogram<"queue" | "outcome"> | null = null;
  private wait: Histogram<"queue"> | null = null;

  publish(insight: HostInsight): void {
    this.duration = insight.histogram({
      name: "durable_work_duration_seconds",
      help: "Time from the start of an attempt to the decision on its outcome.",
      labels: ["queue", "outcome"],
      buckets,
    });
    this.wait = insight.histogram({
      name: "durable_work_wait_seconds",
      help: "Time from when an item was due to its first attempt, by the database's clock.",
      labels: ["queue"],
      buckets,
    });
  }

  recordEnd(queue: string, outcome: AttemptOutcome, tookMs: number): void {
    if (this.duration?.isRecorded === true) this.duration.observe(tookMs / 1000, { queue, outcome });
  }

  recordWait(queue: string, waitedMs: number): void {
    if (this.wait?.isRecorded === true) this.wait.observe(Math.max(0, waitedMs) / 1000, { queue });
  }
}
