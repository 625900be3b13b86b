import { DatabaseError, type Queries } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { type AppendedEvents, type InsertedRow, toAppended } from "./appended.ts";
import type { PreparedAppend } from "./prepare-append.ts";
import { explainRefusal } from "./refused-append.ts";

/** Attempts of an append that the stream refused although it is as expected: it was changed in between. */
const MAX_ATTEMPTS = 20;

/**
 * Appends in one statement, and says why when the stream refuses.
 *
 * @param queries the database, or the transaction that the append is part of
 * @param insert runs the statement: the inserted rows in the order of versions, none when the stream refuses
 */
export const appendInOneStatement = async (
  base: StoreBase,
  queries: Queries,
  append: PreparedAppend,
  insert: () => Promise<readonly InsertedRow[]>,
): Promise<AppendedEvents> => {
  for (let attempt = 1; ; attempt++) {
    const rows = await insert();
    if (rows.length > 0) return toAppended(rows);
    const earlier = await explainRefusal(base, queries, append);
    if (earlier !== null) return { appended: earlier, rows };
    if (attempt === MAX_ATTEMPTS) throw contended(append);
  }
};

const contended = ({ stream }: PreparedAppend): DatabaseError =>
  again(`stream ${stream} was changed by others during each of ${MAX_ATTEMPTS} attempts`, "40001");

/** An error after which `db.transaction` runs its function again. */
export const again = (message: string, sqlCode: string, cause?: unknown): DatabaseError =>
  new DatabaseError("serialization", message, { sqlCode, cause });
