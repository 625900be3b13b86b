import { type Queries, sql } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { eventColumns, type EventRow } from "../events/event-row.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import { decoderFor } from "./event-decoder.ts";

/** Range of versions of a stream. */
export interface VersionRange {
  readonly tenant: string;
  readonly stream: string;
  /** First version. */
  readonly from: number;
  /** Last version. @default no limit */
  readonly to?: number | undefined;
  readonly limit: number;
  readonly backwards?: boolean | undefined;
}

/** Reads rows of a stream in the order of versions, archived or not. */
export const versionRows = async (
  { db: { dialect } }: StoreBase,
  queries: Queries,
  { tenant, stream, from, to = Number.MAX_SAFE_INTEGER, limit, backwards = false }: VersionRange,
): Promise<readonly EventRow[]> => {
  const columns = eventColumns(dialect);
  const where = sql`WHERE tenant = ${tenant} AND stream = ${stream} AND version BETWEEN ${from} AND ${to}`;
  const order = backwards ? sql`ORDER BY version DESC LIMIT ${limit}` : sql`ORDER BY version LIMIT ${limit}`;
  return await queries.query<EventRow>`SELECT ${columns} FROM framework_events ${where}
    UNION ALL SELECT ${columns} FROM framework_archived_events ${where} ${order}`;
};

/** Reads events of a stream, at most `limit` stored ones. */
export const readVersions = async (
  base: StoreBase,
  queries: Queries,
  range: VersionRange,
): Promise<readonly StoredEvent[]> => {
  const rows = await versionRows(base, queries, range);
  const decoder = await decoderFor(queries, base.types, rows);
  return rows.flatMap((row) => decoder.decode(row));
};
