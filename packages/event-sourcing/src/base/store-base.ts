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

/** Views that are updated in the transaction of an append. */
export interface InlineViews {
  /** Finds the live inline views and locks that set until the transaction ends. Call it before the append, and the returned function after it. */
  begin(tx: Transaction): Promise<(events: readonly StoredEvent[]) => Promise<void>>;
}

/** Dependencies shared by all parts of a store. Read members at the time of use: the database and log of an app are known only at its start. */
export interface StoreBase {
  readonly db: Database;
  /** SQL expression of the current time: whole milliseconds of the database's clock. */
  readonly now: Statement;
  readonly types: EventTypes;
  readonly settings: StoreSettings;
  readonly log: Logger;
  readonly counts: StoreCounts;
  /** Runs a transaction on behalf of the store; on SQLite, concurrent ones share a commit. */
  readonly transaction: Kernel["transaction"];
  /** Returns the metadata of the request, message or command that is being handled. */
  readonly currentMetadata: () => EventMetadata;
  /** Parked work of the kernel: projections park failed events there. */
  readonly parked: Pick<Kernel["parked"], "checkRoom" | "inOrder" | "park">;
  /** Inline views; `null` if there are none. */
  readonly inline: InlineViews | null;
  /** Called after events were committed. */
  readonly onCommit: () => void;
}
