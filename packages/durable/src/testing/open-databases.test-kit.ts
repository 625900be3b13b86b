import { randomUUID } from "node:crypto";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase, sql } from "@framework/database";

/** A database of one test, which several processes may open. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** Opens it once more, as another process would. Closed with the test. */
  open(): Database;
}

const opener = (url: string): Pick<TestDatabase, "url" | "open"> & { closeAll(): Promise<unknown> } => {
  const opened: Database[] = [];
  return {
    url,
    open() {
      const db = openDatabase({ url, connectionTimeoutSecs: 30 });
      opened.push(db);
      return db;
    },
    closeAll: () => Promise.all(opened.map((db) => db.close())),
  };
};

/** A SQLite file. */
export const sqliteFile = async (): Promise<TestDatabase> => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "durable-"));
  const { closeAll, ...database } = opener(`sqlite://${join(folder.path, "durable.db")}`);
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await closeAll();
      folder.remove();
    },
  };
};

/** A schema of its own in a PostgreSQL server. */
export const postgresSchema = async (server: string): Promise<TestDatabase> => {
  const schema = `durable_${randomUUID().replaceAll("-", "")}`;
  const admin = openDatabase({ url: server, poolSize: 1 });
  await admin.execute`CREATE SCHEMA ${sql.identifier(schema)}`;
  const own = new URL(server);
  own.searchParams.set("options", `-c search_path=${schema}`);
  const { closeAll, ...database } = opener(own.href);
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await closeAll();
      await admin.execute`DROP SCHEMA ${sql.identifier(schema)} CASCADE`;
      await admin.close();
    },
  };
};
