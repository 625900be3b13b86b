import { DatabaseError, type Queries } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { type AppendResultWithRows, type InsertedRow, toAppendResult } from "./appended.ts";
import type { PreparedAppend } from "./prepare-append.ts";
import { explainRefusal } from "./refused-append.ts";

/** Maximum number of attempts of an append that inserted nothing although the version is as expected: another append changed the stream in between. */
const MAX_ATTEMPTS = 20;

/**
 * Appends in one statement. If it inserts nothing, finds out why.
 *
 * @param queries the database, or the transaction of the append
 * @param insert runs the statement and returns the inserted rows in the order of versions, none if the append is refused
 */
export const appendInOneStatement = async (
  base: StoreBase,
  queries: Queries,
  append: PreparedAppend,
  insert: () => Promise<readonly InsertedRow[]>,
): Promise<AppendResultWithRows> => {
  for (let attempt = 1; ; attempt++) {
    const rows = await insert();
    if (rows.length > 0) return toAppendResult(rows);
    const earlier = await explainRefusal(base, queries, append);
    if (earlier !== null) return { appended: earlier, rows };
    if (attempt === MAX_ATTEMPTS) throw contentionError(append);
  }
};

const contentionError = ({ stream }: PreparedAppend): DatabaseError =>
  retryableError(
    `stream ${stream} was changed by other appends during each of ${MAX_ATTEMPTS} attempts`,
    "40001",
  );

/** Creates an error that makes `db.transaction` run its function again. */
export const retryableError = (message: string, sqlCode: string, cause?: unknown): DatabaseError =>
  new DatabaseError("serialization", message, { sqlCode, cause });
