import { type Database, openDatabase } from "@framework/database";
import {
  databaseInFile,
  databaseInSchema,
  type TestDatabase as ClosableDatabase,
} from "@framework/database/testing";

/** A database of one test, which several processes may open. */
export interface TestDatabase extends ClosableDatabase {
  /** Opens another connection, as another process would. Closed with the test. */
  open(): Database;
}

const withOpen = ({ url, ...database }: ClosableDatabase): TestDatabase => {
  const opened: Database[] = [];
  return {
    url,
    open() {
      const db = openDatabase({ url, connectionTimeoutSecs: 30 });
      opened.push(db);
      return db;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((db) => db.close()));
      await database[Symbol.asyncDispose]();
    },
  };
};

export const sqliteFile = async (): Promise<TestDatabase> => withOpen(databaseInFile());

export const postgresSchema = async (server: string): Promise<TestDatabase> =>
  withOpen(await databaseInSchema(server));

/** Creates databases, one at a time. */
export type TestDatabases = (() => Promise<TestDatabase>) & AsyncDisposable;

/** Creates databases in one schema, which is emptied for each. New tables and connections for each test would take most of the time. */
export const postgresSchemas = (server: string): TestDatabases => {
  let schema: Promise<ClosableDatabase> | null = null;
  const databases: Database[] = [];
  const make = async (): Promise<TestDatabase> => {
    const { url } = await (schema ??= databaseInSchema(server));
    const at = (index: number): Database =>
      (databases[index] ??= openDatabase({ url, connectionTimeoutSecs: 30 }));
    await clear(at(0));
    let opened = 0;
    return { url, open: () => at(opened++), async [Symbol.asyncDispose]() {} };
  };
  return Object.assign(make, {
    async [Symbol.asyncDispose]() {
      for (const db of databases) await db.close();
      await (await schema)?.[Symbol.asyncDispose]();
    },
  });
};

/** Empties the tables of the kernel except the migrations, and drops the tables of tests. */
const clear = async (db: Database): Promise<void> => {
  const tables = await db.query<{ name: string }>`SELECT tablename AS name FROM pg_tables
    WHERE schemaname = current_schema() AND tablename NOT LIKE '%migration%'`;
  const isOwn = (name: string): boolean => name.startsWith("framework_");
  const statements = Array.from(
    tables,
    ({ name }) => `${isOwn(name) ? "DELETE FROM" : "DROP TABLE"} ${name};`,
  );
  if (statements.length > 0) await db.transaction((tx) => tx.script(statements.join("")));
};
