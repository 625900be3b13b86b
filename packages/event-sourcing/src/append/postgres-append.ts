import { DatabaseError, type Queries } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { type AppendedEvents, type InsertedRow, toAppended } from "./appended.ts";
import type { PostgresStatements } from "./postgres-statements.ts";
import type { PreparedAppend } from "./prepare-append.ts";
import { explainRefusal } from "./refused-append.ts";

/** Attempts of an append that the stream refused although it is as expected: it was changed in between. */
const MAX_ATTEMPTS = 20;

/**
 * Appends on PostgreSQL, in one round trip unless the stream refuses.
 *
 * @param queries the database, or the transaction that the append is part of
 */
export const appendOnPostgres = async (
  base: StoreBase,
  statements: PostgresStatements,
  queries: Queries,
  append: PreparedAppend,
): Promise<AppendedEvents> => {
  const [text, values] = statements.of(append);
  for (let attempt = 1; ; attempt++) {
    const rows = await queries
      .query<InsertedRow>(text, values)
      .catch((error: unknown) => afterRace(base, queries, error));
    if (rows.length > 0) return toAppended(rows.toSorted((one, other) => one.version - other.version));
    const earlier = await explainRefusal(base, queries, append);
    if (earlier !== null) return { appended: earlier, rows };
    if (attempt === MAX_ATTEMPTS) throw contended(append);
  }
};

/**
 * The statement did not see events with the same ids, which another transaction committed while this one waited for the stream. The database's
 * constraint did. Alone, the append is explained by what is visible now; a transaction around it has failed and must run again.
 */
const afterRace = (base: StoreBase, queries: Queries, error: unknown): InsertedRow[] => {
  if (!(error instanceof DatabaseError) || error.constraint !== "framework_events_id") throw error;
  if (queries === base.db) return [];
  throw again(error.message, error.sqlCode, error);
};

const contended = ({ stream }: PreparedAppend): DatabaseError =>
  again(`stream ${stream} was changed by others during each of ${MAX_ATTEMPTS} attempts`, "40001");

/** An error after which `db.transaction` runs its function again. */
const again = (message: string, sqlCode: string, cause?: unknown): DatabaseError =>
  new DatabaseError("serialization", message, { sqlCode, cause });
