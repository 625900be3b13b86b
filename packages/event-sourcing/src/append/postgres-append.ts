import { DatabaseError, type Queries } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import type { AppendedEvents, InsertedRow } from "./appended.ts";
import { again, appendInOneStatement } from "./one-statement-append.ts";
import type { PostgresStatements } from "./postgres-statements.ts";
import type { PreparedAppend } from "./prepare-append.ts";

/**
 * Appends on PostgreSQL, in one round trip unless the stream refuses.
 *
 * @param queries the database, or the transaction that the append is part of
 */
export const appendOnPostgres = (
  base: StoreBase,
  statements: PostgresStatements,
  queries: Queries,
  append: PreparedAppend,
): Promise<AppendedEvents> => {
  const [text, values] = statements.of(append);
  return appendInOneStatement(base, queries, append, () =>
    queries
      .query<InsertedRow>(text, values)
      .then(byVersion, (error: unknown) => afterRace(base, queries, error)),
  );
};

/** `RETURNING` has no order. */
const byVersion = (rows: InsertedRow[]): InsertedRow[] =>
  rows.length === 1 ? rows : rows.sort((one, other) => one.version - other.version);

/**
 * The statement did not see events with the same ids, which another transaction committed while this one waited for the stream. The database's
 * constraint did. Alone, the append is explained by what is visible now; a transaction around it has failed and must run again.
 */
const afterRace = (base: StoreBase, queries: Queries, error: unknown): InsertedRow[] => {
  if (!(error instanceof DatabaseError) || error.constraint !== "framework_events_id") throw error;
  if (queries === base.db) return [];
  throw again(error.message, error.sqlCode, error);
};
