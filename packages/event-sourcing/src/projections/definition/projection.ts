import type { RetryPolicy } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import type { Statement, Transaction } from "@framework/database";
import type { AnyEventType, EventOf } from "../../events/event-type.ts";
import type { StoredEvent } from "../../events/stored-event.ts";

/** What `apply` gets besides the events. */
export interface ProjectionContext<Table extends string = string> {
  /** The tables of this version, to be used in statements: `` tx.execute`INSERT INTO ${tables.shelf} …` ``. */
  readonly tables: Readonly<Record<Table, Statement>>;
  /** Whether this version is built beside one that is live: leave out what must not happen again, such as mails. */
  readonly isRebuild: boolean;
}

/** A part of a view: what the events of one stream, or of all streams of a tenant, have made. */
export interface ViewPart {
  /** Tenant of the events; empty in a store without tenants. */
  readonly tenant: string;
  /** Name of the stream; `undefined` for all of the tenant. */
  readonly stream?: string | undefined;
}

/** Events of certain types; of all types without. */
export type EventsOf<Types extends AnyEventType> = [Types] extends [never] ? StoredEvent : EventOf<Types>;

/** What a program says of a projection. */
export interface ProjectionOptions<Types extends AnyEventType, Table extends string> {
  /** Name: 1 to 50 lower-case letters, digits, underscores and dashes. */
  readonly name: string;
  /** Raise it when the view is made otherwise: the new version is built beside the live one. @default 1 */
  readonly version?: number;
  /** Types of events that the view is made of. @default all */
  readonly types?: readonly Types[];
  /** Category of the streams that it is made of. @default all */
  readonly category?: string;
  /** Tables of the view: names, and the definitions of their columns in SQL. @default none: `apply` writes elsewhere */
  readonly tables?: Readonly<Record<Table, string>>;
  /** Creates indexes, after the tables. */
  readonly create?: (tx: Transaction, tables: Readonly<Record<Table, Statement>>) => Promise<unknown>;
  /** Removes a part of the view from its tables, so that `rebuildPart` can make it again. @default none: only the whole view can be rebuilt */
  readonly clear?: (tx: Transaction, part: ViewPart, context: ProjectionContext<Table>) => Promise<unknown>;
  /** Changes the view in the transaction of every append. @default false */
  readonly inline?: boolean;
  /** Parts that run in parallel, 1 to 64; fixed for a version. @default 1 */
  readonly shards?: number;
  /** Events with the same key are applied in their order, by one shard. @default the stream */
  readonly key?: (event: EventsOf<Types>) => string;
  /** Most events of one transaction, 1 to 1,000. @default 500 */
  readonly batchSize?: number;
  /** Attempts at an event that fails. @default 5 attempts, with delays from 0.1 s */
  readonly retry?: ConfigInput<RetryPolicy>;
  /**
   * What follows the last attempt: `"park"` sets aside the event and later ones of its key, `"stop"` stops the shard. An inline projection stops, while
   * it reads what was in the store before it. @default "park"
   */
  readonly onError?: "park" | "stop";
  /** Seconds behind, above which the health check fails, 1 to 604,800. @default 60 */
  readonly maxLagSecs?: number;
  /** Seconds for which the tables of a replaced version are kept, 0 to 31,536,000. @default 86400 */
  readonly keepRetiredSecs?: number;
  /** Whether a new version goes live by itself when it has caught up; otherwise `goLive` does. @default true */
  readonly autoLive?: boolean;
  /** Applies events to the view, in their order. May run again after a failure: write only through `tx`. */
  readonly apply: (
    tx: Transaction,
    events: readonly EventsOf<Types>[],
    context: ProjectionContext<Table>,
  ) => Promise<unknown>;
}

/** A view made of events. Made by `projection`. */
export interface Projection {
  /** Name of the projection. */
  readonly name: string;
  /** Version of the view; a higher one is built beside the live one. */
  readonly version: number;
  /** Types of events it reads; `undefined` for all. */
  readonly types: readonly AnyEventType[] | undefined;
  /** Category of the streams it reads; `undefined` for all. */
  readonly category: string | undefined;
  /** Names of the tables of this version, by the names in the definition. */
  readonly tables: Readonly<Record<string, string>>;
  /** Creates the tables. */
  readonly create: (tx: Transaction, tables: Readonly<Record<string, Statement>>) => Promise<unknown>;
  /** Removes a part of the view; `undefined` when only the whole view can be rebuilt. */
  readonly clear:
    | ((tx: Transaction, part: ViewPart, context: ProjectionContext) => Promise<unknown>)
    | undefined;
  /** Whether it runs in the transaction of the append. */
  readonly inline: boolean;
  /** Number of parts that processes share. */
  readonly shards: number;
  /** Returns the key of an event: events of one key stay in order; `undefined` for the stream. */
  readonly key: ((event: StoredEvent) => string) | undefined;
  /** Events of one transaction at most. */
  readonly batchSize: number;
  /** Attempts of an event that fails, and the delays between them. */
  readonly retry: Readonly<RetryPolicy>;
  /** Whether an event that keeps failing is parked with its key, or stops the projection. */
  readonly onError: "park" | "stop";
  /** Lag above which the health check fails, in seconds. */
  readonly maxLagSecs: number;
  /** Seconds for which the tables of a replaced version are kept. */
  readonly keepRetiredSecs: number;
  /** Whether a version that has caught up goes live by itself. */
  readonly autoLive: boolean;
  /** Changes the view for an event. */
  readonly apply: (
    tx: Transaction,
    events: readonly StoredEvent[],
    context: ProjectionContext,
  ) => Promise<unknown>;
}
