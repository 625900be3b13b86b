// For applications.
export {
  eventType,
  retiredEventType,
  type AnyEventType,
  type EventOf,
  type EventType,
  type EventTypeOptions,
  type NewEventOf,
} from "./events/event-type.ts";
export {
  dropped,
  type EventPart,
  split,
  type SplitEvent,
  type Upcaster,
  type Upcasters,
} from "./events/upcast-result.ts";
export type { PersonalData } from "./events/personal-data.ts";
export type { NewEvent, StoredEvent } from "./events/stored-event.ts";
export type { EventMetadata } from "./events/event-metadata.ts";
export { decider, type Decider, type DeciderOptions } from "./deciders/decider.ts";
export type { Aggregate, AggregateState, ExecuteOptions, ExecuteResult } from "./deciders/aggregate.ts";
export { projection } from "./projections/definition/define-projection.ts";
export type {
  EventsOf,
  Projection,
  ProjectionContext,
  ProjectionOptions,
  ViewPart,
} from "./projections/definition/projection.ts";
export type { Projections } from "./projections/projections.ts";
export type { ProjectionStatus } from "./projections/versions/status.ts";
export type { VersionStatus } from "./projections/versions/projection-rows.ts";
export type { WaitOptions } from "./projections/running/wait-for.ts";
export type { EventHandler, SubscribeOptions, Subscription } from "./subscriptions/subscription.ts";
export type { AppendOptions, EventStore, ScopeOptions, StreamStore } from "./event-store.ts";
export type { AppendResult } from "./append/appended.ts";
export type { WriteOptions } from "./append/appender.ts";
export { ConflictError } from "./append/conflict-error.ts";
export type { ExpectedVersion } from "./append/expected-version.ts";
export type { StreamAppend } from "./append/prepare-append.ts";
export type { ReadOptions } from "./reading/read-stream.ts";
export type { EventBatch, ReadAllOptions } from "./global-order/read-all.ts";
export { CausationId, CorrelationId, metadataOf } from "./base/current-metadata.ts";
export { eventSourcing, type EventSourcing } from "./event-sourcing.ts";
export { EventSourcingConfig, type StoreType } from "./event-sourcing-config.ts";
export { openEventStore, type OpenEventStore, type OpenEventStoreOptions } from "./open-event-store.ts";
export { eventSourcingErrors } from "./error-codes.ts";
