import type { Queries, SqlValue, Statement, Transaction } from "@framework/database";
import { paddedList } from "../base/padded-list.ts";
import type { StoreBase } from "../base/store-base.ts";
import { type AppendResultWithRows, type InsertedRow, toAppendResult } from "./appended.ts";
import type { EncodedEvent } from "./encode-events.ts";
import type { PreparedAppend } from "./prepare-append.ts";
import { explainRefusal } from "./refused-append.ts";
import { appendOneOnSqlite } from "./sqlite-one-event.ts";

interface StreamRow {
  readonly version: number;
  readonly updated_at: number;
}

/**
 * Appends on SQLite, where write transactions run one at a time: nothing changes between two statements.
 *
 * @param queries the transaction of the append, or, for a single event, the database
 */
export const appendOnSqlite = (
  base: StoreBase,
  queries: Queries,
  append: PreparedAppend,
): Promise<AppendResultWithRows> => {
  const [event] = append.events;
  return append.events.length === 1 && event !== undefined
    ? appendOneOnSqlite(base, queries, append, event)
    : appendSeveral(base, queries as Transaction, append);
};

/** Raises the version of the stream, then inserts the events in batches. */
const appendSeveral = async (
  base: StoreBase,
  tx: Transaction,
  append: PreparedAppend,
): Promise<AppendResultWithRows> => {
  const isUnseen = !append.hasGivenIds || (await hasNone(tx, append));
  const row = isUnseen ? await raiseVersion(base, tx, append) : null;
  if (row === null) {
    const earlier = await explainRefusal(base, tx, append);
    if (earlier !== null) return { appended: earlier, rows: [] };
    throw new Error(`stream ${append.stream} refused an append without a reason`);
  }
  return toAppendResult(await insertEvents(tx, append, row));
};

/** Rows per INSERT, largest first: few statements for a batch, and only three to prepare. */
const sizes = [32, 8, 1] as const;

const insertEvents = async (
  tx: Transaction,
  { tenant, stream, category, events }: PreparedAppend,
  { version: last, updated_at: recorded_at }: StreamRow,
): Promise<readonly InsertedRow[]> => {
  const rows: InsertedRow[] = [];
  const first = last - events.length + 1;
  while (rows.length < events.length) {
    const at = rows.length;
    const size = sizes.find((each) => each <= events.length - at) ?? 1;
    const values: SqlValue[] = [tenant, stream, category, recorded_at];
    for (let next = at; next < at + size; next++)
      addValues(values, first + next, events[next] as EncodedEvent);
    const inserted = await tx.query<{ position: number }>(insertText(size), values);
    for (const { position } of inserted) rows.push({ position, version: first + rows.length, recorded_at });
  }
  return rows;
};

const addValues = (values: SqlValue[], version: number, event: EncodedEvent): void => {
  values.push(version, event.id, event.type, event.schemaVersion, event.data, event.metadata);
};

const texts = new Map<number, string>();

/** Rows are inserted in the order of VALUES, so positions ascend with the versions. */
const insertText = (size: number): string => {
  const known = texts.get(size);
  if (known !== undefined) return known;
  const rows = Array.from({ length: size }, (_, row) => {
    const [version, id, type, schema, data, metadata] = Array.from(
      { length: 6 },
      (__, at) => `$${row * 6 + at + 5}`,
    );
    return `($1, $2, ${version}, ${id}, $3, ${type}, ${schema}, ${data}, ${metadata}, $4)`;
  });
  const text = `INSERT INTO framework_events
    (tenant, stream, version, event_id, category, type, schema_version, data, metadata, recorded_at)
    VALUES ${rows.join(", ")} RETURNING position`;
  texts.set(size, text);
  return text;
};

const hasNone = async (tx: Transaction, { tenant, stream, events }: PreparedAppend): Promise<boolean> => {
  const ids = paddedList(events.map(({ id }) => id));
  const found = await tx.fetchValue`SELECT 1 FROM framework_events
    WHERE tenant = ${tenant} AND stream = ${stream} AND event_id IN (${ids})`;
  return found === null;
};

/** Raises the version of the stream; `null` if the stream is not as expected. */
const raiseVersion = (
  { now }: StoreBase,
  tx: Transaction,
  { tenant, stream, category, expected, events: { length } }: PreparedAppend,
): Promise<StreamRow | null> => {
  const { any, none, exists, exact } = raiseTexts(now);
  if (expected === "any") return tx.fetchOne<StreamRow>(any, [tenant, stream, category, length]);
  if (expected === "none" || expected === 0)
    return tx.fetchOne<StreamRow>(none, [tenant, stream, category, length]);
  if (expected === "exists") return tx.fetchOne<StreamRow>(exists, [tenant, stream, length]);
  return tx.fetchOne<StreamRow>(exact, [tenant, stream, length, expected]);
};

/** Statements that raise a version, by expected version. */
interface RaiseTexts {
  readonly any: string;
  readonly none: string;
  readonly exists: string;
  readonly exact: string;
}

/** Keyed by the SQL expression of the current time. Cached, because the database looks up prepared statements by string, and would hash a new string each time. */
const raises = new WeakMap<Statement, RaiseTexts>();

const raiseTexts = (now: Statement): RaiseTexts => {
  const known = raises.get(now);
  if (known !== undefined) return known;
  const insert = (onConflict: string): string =>
    `INSERT INTO framework_streams AS s (tenant, stream, category, version, updated_at)
      VALUES ($1, $2, $3, $4, ${now.text}) ON CONFLICT (tenant, stream) DO ${onConflict} RETURNING version, updated_at`;
  const update = (condition: string): string =>
    `UPDATE framework_streams SET version = version + $3, updated_at = ${now.text}
      WHERE tenant = $1 AND stream = $2 AND archived_at IS NULL ${condition} RETURNING version, updated_at`;
  const texts = {
    any: insert(UPDATE_EXISTING),
    none: insert("NOTHING"),
    exists: update(""),
    exact: update("AND version = $4"),
  };
  raises.set(now, texts);
  return texts;
};

const UPDATE_EXISTING = `UPDATE SET version = s.version + excluded.version, updated_at = excluded.updated_at
  WHERE s.archived_at IS NULL`;
