import { setImmediate as nextTurn } from "node:timers/promises";
import type { Row } from "../queries.ts";
import { sqliteError } from "./sqlite-errors.ts";

/** Gives other work its turn after each batch: reading is synchronous. */
export async function* inBatches(
  rows: Generator<Row>,
  batchSize: number,
  text: string,
  signal?: AbortSignal,
): AsyncGenerator<Row> {
  let given = 0;
  try {
    for (const row of rows) {
      yield row;
      if (++given % batchSize === 0) await nextTurn();
      signal?.throwIfAborted();
    }
  } catch (error) {
    throw sqliteError(error, text);
  } finally {
    rows.return(undefined);
  }
}
