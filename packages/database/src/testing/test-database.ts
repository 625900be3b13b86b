import { randomUUID } from "node:crypto";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../open.ts";
import { sql } from "../statement.ts";

/** A database of one test: any number of apps and processes open it by its `url`; disposal removes it. Close what is open before. */
export interface TestDatabase extends AsyncDisposable {
  /** For `enableDatabase({ url })` and `openDatabase({ url })`. */
  readonly url: string;
}

/** A SQLite file in a new folder below the system's folder for temporary files. */
export const databaseInFile = (): TestDatabase => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "test-database-"));
  return {
    url: `sqlite://${join(folder.path, "test.db")}`,
    async [Symbol.asyncDispose]() {
      folder.remove();
    },
  };
};

/**
 * A new, empty schema on a PostgreSQL server; `url` makes it the only one of the search path, so that tests share a server.
 *
 * @param server Address of the server, whose user may create schemas
 * @throws DatabaseUnavailableError when the server does not answer
 */
export const databaseInSchema = async (server: string): Promise<TestDatabase> => {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const admin = openDatabase({ url: server, poolSize: 1, connectionTimeoutSecs: 30 });
  await admin.execute`CREATE SCHEMA ${sql.identifier(name)}`;
  const url = new URL(server);
  url.searchParams.set("options", `-c search_path=${name}`);
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      await admin.execute`DROP SCHEMA IF EXISTS ${sql.identifier(name)} CASCADE`;
      await admin.close();
    },
  };
};
