import type { HostInsight, Sample } from "@framework/core/feature";
import type { QueueWorker } from "./queue-worker.ts";

/** Sources of the metrics. */
export interface WorkMetricsSources {
  readonly workers: () => Iterable<QueueWorker>;
}

/** Publishes the metrics of the queues of a process. Queue names are constants of the program, so they can be labels. */
export const reportWork = (insight: HostInsight, { workers }: WorkMetricsSources): void => {
  const perQueue = (read: (worker: QueueWorker) => number): (() => readonly Sample[]) => {
    return () =>
      Array.from(workers(), (worker) => ({ value: read(worker), labels: { queue: worker.definition.name } }));
  };
  insight.metric({
    name: "durable_work_attempts_total",
    help: "Attempts at items, by queue and outcome.",
    type: "counter",
    read: () => Array.from(workers()).flatMap(outcomesOf),
  });
  insight.metric({
    name: "durable_work_timeouts_total",
    help: "Attempts that reached the time limit of their queue.",
    type: "counter",
    read: perQueue(({ counts }) => counts.timeouts),
  });
  insight.metric({
    name: "durable_work_stale_writes_total",
    help: "Outcomes refused because the item was taken over, cancelled or completed meanwhile.",
    type: "counter",
    read: perQueue(({ counts }) => counts.staleWrites),
  });
  insight.metric({
    name: "durable_work_running",
    help: "Running handlers.",
    type: "gauge",
    read: perQueue(({ running }) => running),
  });
  insight.metric({
    name: "durable_work_ready",
    help: "Items that are due and not claimed, when they were last counted; counted up to 10,000.",
    type: "gauge",
    across: "max",
    read: perQueue(({ backlog }) => backlog.ready),
  });
  insight.metric({
    name: "durable_work_oldest_ready_seconds",
    help: "Time since the oldest ready item was due, when it was last counted.",
    type: "gauge",
    across: "max",
    read: perQueue(({ backlog }) => backlog.oldestReadyMs / 1000),
  });
};

const outcomesOf = ({ counts, definition }: QueueWorker): readonly Sample[] =>
  Object.entries(counts.outcomes).map(([outcome, value]) => ({
    value,
    labels: { queue: definition.name, outcome },
  }));
