import { type Queries, sql, type Statement } from "@framework/database";
import { paddedList } from "../base/padded-list.ts";
import type { StoreBase } from "../base/store-base.ts";
import { eventColumnNames, eventColumns, type EventRow } from "../events/event-row.ts";
import type { Decided, Frontier } from "./frontier.ts";
import { lastStored } from "./last-stored.ts";

/** Which events of the whole store to read. */
export interface EventFilter {
  /** Names of types, as stored. @default all */
  readonly types?: readonly string[] | undefined;
  /** Category of the streams. @default all */
  readonly category?: string | undefined;
  /** Tenant of the streams. @default all */
  readonly tenant?: string | undefined;
}

/** Which events of a part of a view to read. */
export interface PartFilter extends EventFilter {
  /** Name of one stream. @default all */
  readonly stream?: string | undefined;
}

/** Rows of the global order after a position. */
export interface RowBatch extends Decided {
  readonly rows: readonly EventRow[];
}

/** Reads the events of all streams in their global order, and never beyond the frontier. */
export class GlobalReader {
  private readonly base: StoreBase;
  private readonly frontier: Frontier;

  constructor(base: StoreBase, frontier: Frontier) {
    this.base = base;
    this.frontier = frontier;
  }

  /**
   * Reads the next rows. `position` is where the next read begins: it passes events that the filter excludes, too.
   *
   * @param queries where to read from: the database, or a transaction
   */
  async read(after: number, filter: EventFilter, limit: number, queries: Queries): Promise<RowBatch> {
    const { frontier } = this;
    const { returns } = frontier;
    const isFar = frontier.position - after >= limit; // enough to read without looking for more
    const decided: Decided = isFar
      ? { position: frontier.position, state: "more" }
      : await frontier.advance();
    if (after >= decided.position) return { ...decided, position: after, rows: [] };
    const rows = await this.rows({ after, to: decided.position, limit, filter }, queries);
    const last = rows.at(-1);
    if (rows.length < limit || last === undefined) {
      if (isFar) await frontier.advance(); // to pass positions without rows, they must be decided still
      return frontier.returns === returns
        ? { ...decided, rows }
        : await this.read(after, filter, limit, queries);
    }
    const isWhole = last.position === decided.position;
    return { position: last.position, state: isWhole ? decided.state : "more", rows };
  }

  /** How often the store was found to have gone back to an older state, and the last position that this has in common with what was read before. */
  get returns(): Pick<Frontier, "returns" | "returnedTo"> {
    const { returns, returnedTo } = this.frontier;
    return { returns, returnedTo };
  }

  /** Whether a position is beyond all events of the store: they were read from a later state of it. */
  async isBeyond(position: number): Promise<boolean> {
    if (position <= this.frontier.position) return false;
    const last = await this.base.db.fetchValue<number>`SELECT ${lastStored}`;
    return position > (last ?? 0);
  }

  /** Looks how far readers may read now. */
  async end(): Promise<number> {
    for (;;) {
      const { position, state } = await this.frontier.advance();
      if (state !== "more") return position;
    }
  }

  /** Reads rows between two positions, also beyond the frontier: the caller knows that no append is open. */
  async rows({ after, to, limit, filter }: RowRange, queries: Queries): Promise<readonly EventRow[]> {
    const from = (table: Statement): Statement =>
      sql`FROM ${table} WHERE position > ${after} AND position <= ${to} ${conditions(filter)}`;
    const [present, archived] = [from(sql`framework_events`), from(sql`framework_archived_events`)];
    const columns = eventColumns(this.base.db.dialect);
    const order = sql`ORDER BY position LIMIT ${limit}`;
    if (this.base.db.dialect === "sqlite")
      return await queries.query<EventRow>`SELECT ${columns} ${present} UNION ALL SELECT ${columns} ${archived} ${order}`;
    // Each part has its own limit: PostgreSQL would otherwise read and sort all events after the position. On SQLite, which merges parts, it costs as much as the read.
    return await queries.query<EventRow>`SELECT ${eventColumnNames} FROM (SELECT ${columns} ${present} ${order}) AS present
      UNION ALL SELECT ${eventColumnNames} FROM (SELECT ${columns} ${archived} ${order}) AS archived ${order}`;
  }
}

/** Which rows to read. */
export interface RowRange {
  /** Position before the first one. */
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
