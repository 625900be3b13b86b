import type { RetryPolicy } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import type { Statement, Transaction } from "@framework/database";
import type { AnyEventType, EventOf } from "../../events/event-type.ts";
import type { StoredEvent } from "../../events/stored-event.ts";

/** Context of `apply` and `clear`. */
export interface ProjectionContext<Table extends string = string> {
  /** Tables of this version, for use in statements: `` tx.execute`INSERT INTO ${tables.shelf} …` ``. */
  readonly tables: Readonly<Record<Table, Statement>>;
  /** Whether events are replayed, to build a version that is not live yet, or to rebuild a part. Skip side effects that must not be repeated, such as emails. */
  readonly isRebuild: boolean;
}

/** A part of a view: the rows built from one stream, or from all streams of a tenant. */
export interface ViewPart {
  /** Tenant of the events; empty in a store without tenants. */
  readonly tenant: string;
  /** Name of the stream; `undefined` for all streams of the tenant. */
  readonly stream?: string | undefined;
}

/** Events of the given types; of all types for `never`. */
export type EventsOf<Types extends AnyEventType> = [Types] extends [never] ? StoredEvent : EventOf<Types>;

/** Definition of a projection. */
export interface ProjectionOptions<Types extends AnyEventType, Table extends string> {
  /** Name: 1 to 50 lower-case letters, digits, underscores and dashes, beginning with a letter. */
  readonly name: string;
  /** Raise it when you change how the view is built: the new version is built while the old one stays live. @default 1 */
  readonly version?: number;
  /** Event types that the view is built from. @default all */
  readonly types?: readonly Types[];
  /** Category of the streams that the view is built from. @default all */
  readonly category?: string;
  /** Tables of the view: SQL column definitions by table name. @default none: `apply` writes elsewhere */
  readonly tables?: Readonly<Record<Table, string>>;
  /** Creates indexes, after the tables. */
  readonly create?: (tx: Transaction, tables: Readonly<Record<Table, Statement>>) => Promise<unknown>;
  /** Removes a part of the view from its tables, for `rebuildPart`. @default none: only the whole view can be rebuilt */
  readonly clear?: (tx: Transaction, part: ViewPart, context: ProjectionContext<Table>) => Promise<unknown>;
  /** Whether the view is updated in the transaction of every append. @default false */
  readonly inline?: boolean;
  /** Number of shards, which run in parallel, 1 to 64; fixed for a version. @default 1 */
  readonly shards?: number;
  /** Returns the key of an event. Events with the same key are applied in order, by one shard. @default the stream */
  readonly key?: (event: EventsOf<Types>) => string;
  /** Maximum number of events per transaction, 1 to 1,000. @default 500 */
  readonly batchSize?: number;
  /** Retry policy for an event that fails. @default 5 attempts, with delays of up to 0.1 s, 0.2 s, 0.4 s and 0.8 s */
  readonly retry?: ConfigInput<RetryPolicy>;
  /**
   * Action after the last attempt: `"park"` sets aside the event and later ones of its key, `"stop"` stops the shard. An inline projection can only stop,
   * and does so only while it catches up with existing events. @default "park"; "stop" for an inline projection
   */
  readonly onError?: "park" | "stop";
  /** Lag in seconds above which the health check fails, 1 to 604,800. @default 60 */
  readonly maxLagSecs?: number;
  /** Seconds before the tables of a replaced version are dropped, 0 to 31,536,000. @default 86400 */
  readonly keepRetiredSecs?: number;
  /** Whether a new version goes live automatically when it has caught up; if not, call `goLive`. @default true */
  readonly autoLive?: boolean;
  /** Applies events to the view, in order. May run again after a failure: write only through `tx`. */
  readonly apply: (
    tx: Transaction,
    events: readonly EventsOf<Types>[],
    context: ProjectionContext<Table>,
  ) => Promise<unknown>;
}

/** A view built from events. Created by `projection`. */
export interface Projection {
  /** Name of the projection. */
  readonly name: string;
  /** Version of the view. A higher one is built while the old one stays live. */
  readonly version: number;
  /** Event types that it reads; `undefined` for all. */
  readonly types: readonly AnyEventType[] | undefined;
  /** Category of the streams that it reads; `undefined` for all. */
  readonly category: string | undefined;
  /** SQL column definitions by table name. */
  readonly tables: Readonly<Record<string, string>>;
  /** Creates indexes, after the tables. */
  readonly create: (tx: Transaction, tables: Readonly<Record<string, Statement>>) => Promise<unknown>;
  /** Removes a part of the view; `undefined` when only the whole view can be rebuilt. */
  readonly clear:
    | ((tx: Transaction, part: ViewPart, context: ProjectionContext) => Promise<unknown>)
    | undefined;
  /** Whether the view is updated in the transaction of every append. */
  readonly inline: boolean;
  /** Number of shards, which run in parallel. */
  readonly shards: number;
  /** Returns the key of an event, within which order is kept; `undefined` to use the stream. */
  readonly key: ((event: StoredEvent) => string) | undefined;
  /** Maximum number of events per transaction. */
  readonly batchSize: number;
  /** Retry policy for an event that fails. */
  readonly retry: Readonly<RetryPolicy>;
  /** Whether an event that keeps failing is parked, with later events of its key, or stops the shard. */
  readonly onError: "park" | "stop";
  /** Lag above which the health check fails, in seconds. */
  readonly maxLagSecs: number;
  /** Seconds before the tables of a replaced version are dropped. */
  readonly keepRetiredSecs: number;
  /** Whether a version that has caught up goes live automatically. */
  readonly autoLive: boolean;
  /** Applies events to the view, in order. */
  readonly apply: (
    tx: Transaction,
    events: readonly StoredEvent[],
    context: ProjectionContext,
  ) => Promise<unknown>;
}
