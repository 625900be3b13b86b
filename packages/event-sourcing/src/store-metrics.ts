import type { HostInsight } from "@framework/core/feature";
import type { StoreParts } from "./event-store.ts";

/** Publishes the metrics of a store. */
export const publishMetrics = (
  insight: HostInsight,
  { base: { counts }, oldestOpenSecs }: StoreParts,
): void => {
  const counter = (name: string, help: string, read: () => number): HostInsight =>
    insight.metric({ name: `events_${name}_total`, help, type: "counter", read });
  counter("appended", "Events appended.", () => counts.appended);
  counter("append_conflicts", "Appends refused because of the expected version.", () => counts.conflicts);
  counter("append_repeats", "Appends whose event ids had been appended before.", () => counts.repeated);
  counter("long_streams", "Streams that grew beyond maxEventsPerAggregate.", () => counts.longStreams);
  counter("snapshots_taken", "Snapshots taken.", () => counts.snapshotsTaken);
  counter(
    "snapshots_ignored",
    "Snapshots ignored: damaged, taken by newer code, or of events that do not exist.",
    () => counts.snapshotsIgnored,
  );
  counter(
    "skipped_positions",
    "Positions whose transactions were rolled back.",
    () => counts.skippedPositions,
  );
  counter("parked", "Events that projections parked after the last attempt.", () => counts.parked);
  counter("streams_archived", "Streams archived because of eventTtlSecs.", () => counts.expired);
  insight.metric({
    name: "events_oldest_open_append_seconds",
    help: "Age of the oldest transaction with an open append that readers wait for.",
    type: "gauge",
    read: oldestOpenSecs,
  });
};
