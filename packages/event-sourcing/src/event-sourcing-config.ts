import {
  checked,
  type ConfigRecord,
  configRecord,
  flag,
  integer,
  list,
  oneOf,
  optional,
  secret,
} from "@framework/core/feature";
import type { Problem } from "@framework/core";
import type { Positions } from "./base/store-base.ts";
import type { AnyEventType } from "./events/event-type.ts";
import { EventTypes } from "./events/event-types.ts";
import { projectionProblems } from "./projections/definition/projection-problems.ts";
import type { Projection } from "./projections/definition/projection.ts";

/** Kind of database of an event store. */
export type StoreType = "sqlite" | "postgres" | "postgresql" | "memory";

/** Options of `enableEventSourcing`. */
export interface EventSourcingConfig {
  /**
   * Expected kind of database: the start fails if another one is configured. `"memory"` is a separate in-memory database, for tests.
   * @default the kind of the app's database, or of `connectionUrl`
   */
  readonly storeType: StoreType | undefined;
  /** Number of events between two snapshots of a stream, 1 to 1,000,000. @default 100 */
  readonly snapshotInterval: number;
  /** Whether snapshots are taken and used. @default true */
  readonly enableSnapshots: boolean;
  /** Number of events above which a stream is logged as a warning; nothing is refused. @default 10000 */
  readonly maxEventsPerAggregate: number;
  /** Seconds without an event after which a stream is archived; 0 for never. @default 0 */
  readonly eventTtlSecs: number;
  /** URL of a separate database for the store. @default the app's database */
  readonly connectionUrl: string | undefined;
  /** Event types. If empty, the store accepts events of every type, unchecked. @default [] */
  readonly events: readonly AnyEventType[];
  /** Views to keep up to date. Keep the previous version of a projection in the list until the new one is live. @default [] */
  readonly projections: readonly Projection[];
  /**
   * Source of positions on PostgreSQL: a `"sequence"`, or a `"counter"` row, which serialises appends, for servers that hide `pg_locks`. Fixed when the
   * tables are first used. @default "sequence"
   */
  readonly positions: Positions;
}

const isUrl = (value: unknown): boolean =>
  typeof value === "string" &&
  (value.startsWith("sqlite://") || (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value)));

const isEventType = (value: unknown): boolean =>
  (typeof value === "function" || (typeof value === "object" && value !== null)) && "upcast" in value;

const isProjection = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "apply" in value && "keepRetiredSecs" in value;

export const EventSourcingConfig: ConfigRecord<EventSourcingConfig> = configRecord("EventSourcingConfig", {
  storeType: optional(oneOf<StoreType>("sqlite", ["sqlite", "postgres", "postgresql", "memory"])),
  snapshotInterval: integer(100, { min: 1, max: 1_000_000 }),
  enableSnapshots: flag(true),
  maxEventsPerAggregate: integer(10_000, { min: 1 }),
  eventTtlSecs: integer(0, { min: 0, max: 10_000_000_000 }),
  connectionUrl: optional(
    secret(checked("", "sqlite://<path> or postgres://user:password@host/database", isUrl)),
  ),
  events: list<AnyEventType>([], "event types created by eventType", isEventType),
  projections: list<Projection>([], "projections created by projection", isProjection),
  positions: oneOf<Positions>("sequence", ["sequence", "counter"]),
});

/** Returns the URL of a separate database for the store; `null` for the app's database. */
export const ownUrl = ({ storeType, connectionUrl }: EventSourcingConfig): string | null =>
  connectionUrl ?? (storeType === "memory" ? MEMORY : null);

const MEMORY = "sqlite://:memory:";

/** Whether the store has a separate in-memory database. Each process would then have its own events. */
export const isInMemory = (config: EventSourcingConfig): boolean => ownUrl(config) === MEMORY;

/** Returns the configuration errors across several fields, which the rules of the record cannot check. */
export const configProblems = (config: EventSourcingConfig): readonly Problem[] => {
  const { storeType, connectionUrl, events, projections } = config;
  const mismatch =
    connectionUrl === undefined
      ? null
      : mismatchOf(storeType, connectionUrl.startsWith("sqlite://") ? "sqlite" : "postgres");
  const hasOtherUrl = storeType === "memory" && connectionUrl !== undefined && connectionUrl !== MEMORY;
  return [
    ...EventTypes.problems(events),
    ...projectionProblems(projections, events),
    ...(mismatch === null ? [] : [mismatch]),
    ...(hasOtherUrl && mismatch === null
      ? [badStore(`storeType is "memory", but connectionUrl is another database; remove one`)]
      : []),
  ];
};

/** Returns the error of a `storeType` that differs from the database; `null` if they agree. */
export const mismatchOf = (
  storeType: StoreType | undefined,
  dialect: "sqlite" | "postgres",
): Problem | null => {
  const wanted = storeType === undefined ? dialect : storeType.startsWith("postgres") ? "postgres" : "sqlite";
  if (wanted === dialect) return null;
  return badStore(
    `storeType is "${storeType}", but the database is ${dialect}; remove storeType, or correct the URL`,
  );
};

const badStore = (message: string): Problem => ({
  code: "EVENTS_BAD_STORE",
  message: `EventSourcingConfig: ${message}`,
});
