import type { SetMigration, Transaction } from "@framework/database";
import type { Kernel } from "@framework/durable/feature";

/** Name of the set of tables. */
export const DBOS_TABLES = "saga-dbos";

/** `framework_saga_once`: one row for each `tx` step or undo that has committed, written with its changes. Times are milliseconds of the database's clock. */
export const dbosTables: readonly SetMigration[] = [
  {
    number: 1,
    name: "create-saga-once",
    up: `
CREATE TABLE framework_saga_once (
  key TEXT PRIMARY KEY,
  output TEXT,
  done_at BIGINT NOT NULL
);
CREATE INDEX framework_saga_once_done ON framework_saga_once (done_at)`,
  },
];

/**
 * Runs work in a transaction of the app's database, together with the record that it has happened: DBOS repeats a step whose result it could not store, and
 * the work is then found done.
 *
 * @returns the output of the one commit, as JSON
 */
export const onceInTransaction = async (
  { db, now }: Pick<Kernel, "db" | "now">,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
  work: (tx: Transaction) => Promise<string | null>,
): Promise<string | null> =>
  await db.transaction(
    async (tx) => {
      // The row comes first: of two processes with the same step, the second one waits here until the first has committed.
      const { changes } =
        await tx.execute`INSERT INTO framework_saga_once (key, done_at) VALUES (${key}, ${now})
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

/** Deletes records of steps that are older than their sagas are kept. */
export const forgetOnce = async ({ db, now }: Pick<Kernel, "db" | "now">, keepMs: number): Promise<void> => {
  await db.execute`DELETE FROM framework_saga_once WHERE done_at < ${now} - ${keepMs}`;
};
