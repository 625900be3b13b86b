import type { Logger } from "@framework/core";
import type { Database, Statement, Transaction } from "@framework/database";
import type { Kernel } from "@framework/durable/feature";
import type { EventMetadata } from "../events/event-metadata.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import type { EventTypes } from "../events/event-types.ts";
import type { StoreCounts } from "./store-counts.ts";

/** How positions are drawn on PostgreSQL: from a sequence, or from a row that every append locks. */
export type Positions = "sequence" | "counter";

/** Settings of a store. */
export interface StoreSettings {
  readonly snapshotInterval: number;
  readonly enableSnapshots: boolean;
  readonly maxEventsPerAggregate: number;
  readonly positions: Positions;
}

/** Views that change in the transaction of an append. */
export interface InlineViews {
  /** Finds the views that follow appends, and keeps that from changing until the transaction ends. Call it before the append. */
  begin(tx: Transaction): Promise<(events: readonly StoredEvent[]) => Promise<void>>;
}

/** What every part of the store is built on. Members are read when they are used: an app's database and log are known only at its start. */
export interface StoreBase {
  readonly db: Database;
  /** SQL expression of the current time: whole milliseconds of the database's clock. */
  readonly now: Statement;
  readonly types: EventTypes;
  readonly settings: StoreSettings;
  readonly log: Logger;
  readonly counts: StoreCounts;
  /** Runs a transaction of the store's own; on SQLite several of them share a commit. */
  readonly transaction: Kernel["transaction"];
  /** Metadata of the work that runs at this moment. */
  readonly currentMetadata: () => EventMetadata;
  /** Work that gave up, of the kernel: projections park their events there. */
  readonly parked: Pick<Kernel["parked"], "hasRoom" | "inOrder" | "park">;
  /** Views that appends change; `null` without. */
  readonly inline: InlineViews | null;
  /** Called after events were committed. */
  readonly committed: () => void;
}
