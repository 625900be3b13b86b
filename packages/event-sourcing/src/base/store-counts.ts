/** Counters of a store, for metrics. */
export class StoreCounts {
  /** Events appended by this process, including events of transactions that were rolled back. */
  appended = 0;
  /** Appends refused because of the expected version. */
  conflicts = 0;
  /** Repeated appends, recognised by their event ids. */
  repeated = 0;
  /** Streams that grew beyond `maxEventsPerAggregate`. */
  longStreams = 0;
  /** Streams archived because of `eventTtlSecs`. */
  expired = 0;
  snapshotsTaken = 0;
  /** Snapshots ignored because they were damaged, taken by newer code, or of events that do not exist. */
  snapshotsIgnored = 0;
  /** Positions that will never have an event. */
  skippedPositions = 0;
  /** Events that projections parked because they failed at every attempt. */
  parked = 0;
}
