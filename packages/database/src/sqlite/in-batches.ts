import { setImmediate as nextTurn } from "node:timers/promises";
import type { Row } from "../queries.ts";
import { sqliteError } from "./sqlite-errors.ts";

/** Yields rows in batches, and yields to the event loop after each one, because reading is synchronous. */
export async function* inBatches(
  rows: Generator<Row>,
  batchSize: number,
  text: string,
): AsyncGenerator<Row[]> {
  try {
    for (;;) {
      const batch = nextBatch(rows, batchSize);
      yield batch;
      if (batch.length < batchSize) return;
      await nextTurn();
    }
  } catch (error) {
    throw sqliteError(error, text);
  } finally {
    rows.return(undefined);
  }
}

const nextBatch = (rows: Generator<Row>, count: number): Row[] => {
  const batch: Row[] = [];
  while (batch.length < count) {
    const { done, value } = rows.next();
    if (done === true) break;
    batch.push(value);
  }
  return batch;
};
