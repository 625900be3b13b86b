import type { SqlValue, Transaction } from "@framework/database";
import { paddedList } from "../base/padded-list.ts";
import type { StoreBase } from "../base/store-base.ts";
import { type AppendedEvents, type InsertedRow, toAppended } from "./appended.ts";
import type { EncodedEvent } from "./encode-events.ts";
import type { PreparedAppend } from "./prepare-append.ts";
import { explainRefusal } from "./refused-append.ts";

interface Raised {
  readonly version: number;
  readonly updated_at: number;
}

/** Appends on SQLite, whose transactions that write run one at a time: nothing changes between two statements. */
export const appendOnSqlite = async (
  base: StoreBase,
  tx: Transaction,
  append: PreparedAppend,
): Promise<AppendedEvents> => {
  const isUnseen = !append.hasGivenIds || (await hasNone(tx, append));
  const raised = isUnseen ? await raiseVersion(base, tx, append) : null;
  if (raised === null) {
    const earlier = await explainRefusal(base, tx, append);
    if (earlier !== null) return { appended: earlier, rows: [] };
    throw new Error(`stream ${append.stream} refused an append without a reason`);
  }
  const { tenant, stream, category, events } = append;
  const { updated_at: recorded_at } = raised;
  const rows: InsertedRow[] = [];
  for (const [at, event] of events.entries()) {
    const version = raised.version - events.length + at + 1;
    const values = [tenant, stream, version, category, ...valuesOf(event), recorded_at];
    const position = await tx.fetchValue<number>(INSERT, values);
    rows.push({ position: position ?? 0, version, recorded_at });
  }
  return toAppended(rows);
};

const INSERT = `INSERT INTO framework_events
  (tenant, stream, version, category, event_id, type, schema_version, data, metadata, recorded_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING position`;

const valuesOf = ({ id, type, schemaVersion, data, metadata }: EncodedEvent): SqlValue[] => [
  id,
  type,
  schemaVersion,
  data,
  metadata,
];

const hasNone = async (tx: Transaction, { tenant, stream, events }: PreparedAppend): Promise<boolean> => {
  const ids = paddedList(events.map(({ id }) => id));
  const found = await tx.fetchValue`SELECT 1 FROM framework_events
    WHERE tenant = ${tenant} AND stream = ${stream} AND event_id IN (${ids})`;
  return found === null;
};

/** Raises the version of the stream; `null` when it is not as expected. */
const raiseVersion = (
  { now }: StoreBase,
  tx: Transaction,
  { tenant, stream, category, expected, events: { length } }: PreparedAppend,
): Promise<Raised | null> => {
  if (expected === "any" || expected === "none" || expected === 0) {
    const onConflict = expected === "any" ? UPDATE_EXISTING : "NOTHING";
    const text = `INSERT INTO framework_streams AS s (tenant, stream, category, version, updated_at)
      VALUES ($1, $2, $3, $4, ${now.text}) ON CONFLICT (tenant, stream) DO ${onConflict} RETURNING version, updated_at`;
    return tx.fetchOne<Raised>(text, [tenant, stream, category, length]);
  }
  const text = `UPDATE framework_streams SET version = version + $3, updated_at = ${now.text}
    WHERE tenant = $1 AND stream = $2 AND archived_at IS NULL ${expected === "exists" ? "" : "AND version = $4"}
    RETURNING version, updated_at`;
  return tx.fetchOne<Raised>(text, [tenant, stream, length, ...(expected === "exists" ? [] : [expected])]);
};

const UPDATE_EXISTING = `UPDATE SET version = s.version + excluded.version, updated_at = excluded.updated_at
  WHERE s.archived_at IS NULL`;
