import { DatabaseError, type Queries } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import type { AppendResultWithRows, InsertedRow } from "./appended.ts";
import { appendInOneStatement, retryableError } from "./one-statement-append.ts";
import type { PostgresStatements } from "./postgres-statements.ts";
import type { PreparedAppend } from "./prepare-append.ts";

/**
 * Appends on PostgreSQL, in one round trip unless the stream is not as expected.
 *
 * @param queries the database, or the transaction of the append
 */
export const appendOnPostgres = (
  base: StoreBase,
  statements: PostgresStatements,
  queries: Queries,
  append: PreparedAppend,
): Promise<AppendResultWithRows> => {
  const [text, values] = statements.of(append);
  return appendInOneStatement(base, queries, append, () =>
    queries
      .query<InsertedRow>(text, values)
      .then(byVersion, (error: unknown) => afterRace(base, queries, error)),
  );
};

/** Sorts rows, because `RETURNING` guarantees no order. */
const byVersion = (rows: InsertedRow[]): InsertedRow[] =>
  rows.length === 1 ? rows : rows.sort((one, other) => one.version - other.version);

/**
 * Handles a violation of the unique event id: another transaction committed the same ids while this statement waited for the stream. Outside a
 * transaction, the caller looks up the earlier append, which is visible now; a surrounding transaction has failed and must run again.
 */
const afterRace = (base: StoreBase, queries: Queries, error: unknown): InsertedRow[] => {
  if (!(error instanceof DatabaseError) || error.constraint !== "framework_events_id") throw error;
  if (queries === base.db) return [];
  throw retryableError(error.message, error.sqlCode, error);
};
