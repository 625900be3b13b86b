import type { Queries, SqlValue, Statement } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import type { AppendResultWithRows, InsertedRow } from "./appended.ts";
import type { EncodedEvent } from "./encode-events.ts";
import { appendInOneStatement } from "./one-statement-append.ts";
import type { PreparedAppend } from "./prepare-append.ts";

/**
 * Appends one event on SQLite in one statement, where larger appends take at least two: it reads the version of the stream, and a trigger raises it.
 *
 * @param queries the database, or the transaction of the append
 */
export const appendOneOnSqlite = (
  base: StoreBase,
  queries: Queries,
  append: PreparedAppend,
  { id, type, schemaVersion, data, metadata }: EncodedEvent,
): Promise<AppendResultWithRows> => {
  const { tenant, stream, category, expected, hasGivenIds } = append;
  const values: SqlValue[] = [tenant, stream, category, id, type, schemaVersion, data, metadata];
  if (typeof expected === "number" && expected > 0) values.push(expected);
  const text = textsOf(base.now)[expected === 0 ? "none" : typeof expected === "number" ? "exact" : expected];
  return appendInOneStatement(base, queries, append, () =>
    queries.query<InsertedRow>(hasGivenIds ? text.guarded : text.plain, values),
  );
};

/** `plain` inserts an event with any id; `guarded` inserts it unless the stream already has the id. */
interface Texts {
  readonly plain: string;
  readonly guarded: string;
}

type TextsOfKinds = Readonly<Record<"any" | "none" | "exists" | "exact", Texts>>;

/** Keyed by the SQL expression of the current time. Cached, because the database looks up prepared statements by string, and would hash a new string each time. */
const cache = new WeakMap<Statement, TextsOfKinds>();

const textsOf = (now: Statement): TextsOfKinds => {
  const texts = cache.get(now) ?? build(now);
  cache.set(now, texts);
  return texts;
};

const build = ({ text: now }: Statement): TextsOfKinds => {
  const insert = (version: string, join: "JOIN" | "LEFT JOIN", condition = ""): Texts => {
    const plain = `INSERT INTO framework_events
      (tenant, stream, version, event_id, category, type, schema_version, data, metadata, recorded_at)
      SELECT $1, $2, ${version} + 1, $4, $3, $5, $6, $7, $8, ${now}
      FROM (SELECT 1) ${join} framework_streams AS s ON s.tenant = $1 AND s.stream = $2
      WHERE s.archived_at IS NULL ${condition}`;
    return { plain: `${plain} ${RETURNING}`, guarded: `${plain} ${UNSEEN} ${RETURNING}` };
  };
  return {
    any: insert("coalesce(s.version, 0)", "LEFT JOIN"),
    none: insert("0", "LEFT JOIN", "AND s.version IS NULL"),
    exists: insert("s.version", "JOIN"),
    exact: insert("s.version", "JOIN", "AND s.version = $9"),
  };
};

const UNSEEN =
  "AND NOT EXISTS (SELECT 1 FROM framework_events WHERE tenant = $1 AND stream = $2 AND event_id = $4)";

const RETURNING = "RETURNING position, version, recorded_at";
