import { FrameworkError } from "@framework/core";
import type { HealthCheck } from "@framework/core/feature";
import type { QueueWorker } from "./queue-worker.ts";

/**
 * Returns the health check of the queues of a process. A failure makes the service degraded, and names each queue that is stalled or in which more items
 * than `maxGaveUpPerHour` gave up.
 */
export const queuesCheck = (workers: () => Iterable<QueueWorker>): HealthCheck => ({
  name: "queues",
  critical: false,
  run() {
    const reasons = Array.from(workers()).flatMap(reasonsOf);
    if (reasons.length > 0) throw new FrameworkError("DURABLE_UNHEALTHY", reasons.join("; "));
  },
});

const reasonsOf = (worker: QueueWorker): readonly string[] =>
  [stallOf(worker), givingUpOf(worker)].filter((reason) => reason !== null);

/** A queue is not stalled while its admission is closed. */
const stallOf = ({ definition, backlog, sinceEndMs, running, isClosed }: QueueWorker): string | null => {
  const { name, concurrency, stalledAfterSecs } = definition;
  const limitMs = stalledAfterSecs * 1000;
  if (backlog.ready === 0 || backlog.oldestReadyMs < limitMs || sinceEndMs < limitMs || isClosed) return null;
  const oldest = Math.round(backlog.oldestReadyMs / 1000);
  const since = Math.round(sinceEndMs / 1000);
  return `queue "${name}" is stalled: ${backlog.ready} items are due, the oldest for ${oldest} s, no attempt has ended in this process for ${since} s, and ${running} of ${concurrency} slots are taken`;
};

const givingUpOf = ({ definition: { name, maxGaveUpPerHour }, gaveUpInHour }: QueueWorker): string | null =>
  gaveUpInHour <= maxGaveUpPerHour
    ? null
    : `${gaveUpInHour} items of queue "${name}" gave up in this process in the past hour, more than ${maxGaveUpPerHour}`;
