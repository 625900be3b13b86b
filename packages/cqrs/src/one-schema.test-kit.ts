import { type Database, openDatabase, sql } from "@framework/database";
import { databaseInSchema, type TestDatabase } from "@framework/database/testing";

/** Creates databases, one at a time. */
export type TestDatabases = (() => Promise<TestDatabase>) & AsyncDisposable;

/** Creates databases in one schema, which is emptied for each. New tables for each test would take most of the time. */
export const oneSchema = (server: string): TestDatabases => {
  let schema: Promise<TestDatabase> | null = null;
  let db: Database | null = null;
  const make = async (): Promise<TestDatabase> => {
    const { url } = await (schema ??= databaseInSchema(server));
    db ??= openDatabase({ url, poolSize: 1, connectionTimeoutSecs: 60 });
    await clear(db);
    return { url, async [Symbol.asyncDispose]() {} };
  };
  return Object.assign(make, {
    async [Symbol.asyncDispose]() {
      await db?.close();
      await (await schema)?.[Symbol.asyncDispose]();
    },
  });
};

/** Empties the tables of features except the tables of migrations, and drops the tables of tests and projections. */
const clear = async (db: Database): Promise<void> => {
  const tables = await db.query<{ name: string }>`SELECT tablename AS name FROM pg_tables
    WHERE schemaname = current_schema() AND tablename NOT LIKE '%migration%'`;
  const isOwn = ({ name }: { readonly name: string }): boolean => name.startsWith("framework_");
  const deletions = Array.from(tables)
    .filter(isOwn)
    .map(({ name }) => `DELETE FROM ${name};`); // TRUNCATE would create new files
  if (deletions.length > 0) await db.transaction((tx) => tx.script(deletions.join("")));
  for (const table of tables)
    if (!isOwn(table)) await db.execute`DROP TABLE ${sql.identifier(table.name)} CASCADE`;
  await db.execute("ALTER SEQUENCE IF EXISTS framework_event_positions RESTART");
};
