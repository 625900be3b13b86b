import { type Queries, sql, type Statement } from "@framework/database";
import { paddedList } from "../base/padded-list.ts";
import type { StoreBase } from "../base/store-base.ts";
import { eventColumnNames, eventColumns, type EventRow } from "../events/event-row.ts";
import type { FinalPosition, Frontier } from "./frontier.ts";
import { lastStored } from "./last-stored.ts";

/** Filter for events of all streams. */
export interface EventFilter {
  /** Names of event types, as stored. @default all */
  readonly types?: readonly string[] | undefined;
  /** Category of the streams. @default all */
  readonly category?: string | undefined;
  /** Tenant of the streams. @default all */
  readonly tenant?: string | undefined;
}

/** Filter for the events of a part of a view. */
export interface PartFilter extends EventFilter {
  /** Name of one stream. @default all */
  readonly stream?: string | undefined;
}

/** Consecutive rows of the global order. */
export interface RowBatch extends FinalPosition {
  readonly rows: readonly EventRow[];
}

/** Reads the events of all streams in the global order, never beyond the frontier. */
export class GlobalReader {
  private readonly base: StoreBase;
  private readonly frontier: Frontier;

  constructor(base: StoreBase, frontier: Frontier) {
    this.base = base;
    this.frontier = frontier;
  }

  /**
   * Reads the next rows. The next read starts after `position`, which is also after events that the filter excludes.
   *
   * @param queries the database or a transaction
   */
  async read(after: number, filter: EventFilter, limit: number, queries: Queries): Promise<RowBatch> {
    const { frontier } = this;
    const { rewinds } = frontier;
    const hasEnough = frontier.position - after >= limit; // a full batch is available without advancing the frontier
    const final: FinalPosition = hasEnough
      ? { position: frontier.position, state: "more" }
      : await frontier.advance();
    if (after >= final.position) return { ...final, position: after, rows: [] };
    const rows = await this.rows({ after, to: final.position, limit, filter }, queries);
    const last = rows.at(-1);
    if (rows.length < limit || last === undefined) {
      if (hasEnough) await frontier.advance(); // before passing positions without rows, check that they are still final
      return frontier.rewinds === rewinds
        ? { ...final, rows }
        : await this.read(after, filter, limit, queries);
    }
    const isAtEnd = last.position === final.position;
    return { position: last.position, state: isAtEnd ? final.state : "more", rows };
  }

  /** See `Frontier.rewinds` and `Frontier.rewoundTo`. */
  get rewindState(): Pick<Frontier, "rewinds" | "rewoundTo"> {
    const { rewinds, rewoundTo } = this.frontier;
    return { rewinds, rewoundTo };
  }

  /** Whether a position is beyond the last event: it was read before the store was restored to an older state. */
  async isBeyond(position: number): Promise<boolean> {
    if (position <= this.frontier.position) return false;
    const last = await this.base.db.fetchValue<number>`SELECT ${lastStored}`;
    return position > (last ?? 0);
  }

  /** Returns the position up to which readers may read now. */
  async end(): Promise<number> {
    for (;;) {
      const { position, state } = await this.frontier.advance();
      if (state !== "more") return position;
    }
  }

  /** Reads rows between two positions. Beyond the frontier, an open append may still add earlier rows. */
  async rows({ after, to, limit, filter }: RowRange, queries: Queries): Promise<readonly EventRow[]> {
    const from = (table: Statement): Statement =>
      sql`FROM ${table} WHERE position > ${after} AND position <= ${to} ${conditions(filter)}`;
    const [present, archived] = [from(sql`framework_events`), from(sql`framework_archived_events`)];
    const columns = eventColumns(this.base.db.dialect);
    const order = sql`ORDER BY position LIMIT ${limit}`;
    if (this.base.db.dialect === "sqlite")
      return await queries.query<EventRow>`SELECT ${columns} ${present} UNION ALL SELECT ${columns} ${archived} ${order}`;
    // A limit in each part: PostgreSQL would otherwise read and sort all events after the position. SQLite merges the parts, and needs no limit in them.
    return await queries.query<EventRow>`SELECT ${eventColumnNames} FROM (SELECT ${columns} ${present} ${order}) AS present
      UNION ALL SELECT ${eventColumnNames} FROM (SELECT ${columns} ${archived} ${order}) AS archived ${order}`;
  }
}

/** Range of rows to read. */
export interface RowRange {
  /** Position before the first row. */
  readonly after: number;
  readonly to: number;
  readonly limit: number;
  readonly filter: PartFilter;
}

const conditions = ({ types, category, tenant, stream }: PartFilter): Statement => {
  const all: Statement[] = [];
  if (types !== undefined) all.push(sql`AND type IN (${paddedList(types)})`);
  if (category !== undefined) all.push(sql`AND category = ${category}`);
  if (tenant !== undefined) all.push(sql`AND tenant = ${tenant}`);
  if (stream !== undefined) all.push(sql`AND stream = ${stream}`);
  return sql.join(all, " ");
};
