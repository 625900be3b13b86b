import { type SetMigration, sql, type Transaction } from "@framework/database";
import type { Kernel } from "@framework/durable/feature";

/** Name of the set of tables. */
export const DBOS_TABLES = "saga-dbos";

/** `framework_saga_once`: one row per committed `tx` step or undo, written in the same transaction as its changes. */
export const dbosTables: readonly SetMigration[] = [
  {
    number: 1,
    name: "create-saga-once",
    up: `
CREATE TABLE framework_saga_once (
  key TEXT PRIMARY KEY,
  saga TEXT NOT NULL,
  output TEXT
);
CREATE INDEX framework_saga_once_saga ON framework_saga_once (saga)`,
  },
];

/**
 * Runs work in a transaction of the app's database, which also records that it is done. DBOS repeats a step whose result it could not store; the record
 * then prevents a second run.
 *
 * @returns the output of the committed run, as JSON
 */
export const onceInTransaction = async (
  { db }: Pick<Kernel, "db">,
  { saga, key, signal }: { readonly saga: string; readonly key: string; readonly signal: AbortSignal },
  work: (tx: Transaction) => Promise<string | null>,
): Promise<string | null> =>
  await db.transaction(
    async (tx) => {
      // Insert first: if two processes run the same step, the second one waits here until the first has committed.
      const { changes } =
        await tx.execute`INSERT INTO framework_saga_once (key, saga) VALUES (${key}, ${saga})
        ON CONFLICT (key) DO NOTHING`;
      if (changes === 0)
        return await tx.fetchValue<string>`SELECT output FROM framework_saga_once WHERE key = ${key}`;
      const output = await work(tx);
      if (output !== null)
        await tx.execute`UPDATE framework_saga_once SET output = ${output} WHERE key = ${key}`;
      return output;
    },
    { signal },
  );

/** Deletes the records of sagas, by their ids. */
export const deleteOnceRecords = async (
  { db }: Pick<Kernel, "db">,
  sagas: readonly string[],
): Promise<void> => {
  await db.execute`DELETE FROM framework_saga_once WHERE saga IN (${sql.list(sagas)})`;
};
