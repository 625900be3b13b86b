import { randomUUID } from "node:crypto";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../open.ts";
import { sql } from "../statement.ts";

/** A database of one test, which several apps and processes can open by its `url`. Disposal removes it; close all connections before. */
export interface TestDatabase extends AsyncDisposable {
  /** URL for `enableDatabase({ url })` and `openDatabase({ url })`. */
  readonly url: string;
}

/** Creates a SQLite file in a new temporary folder. */
export const databaseInFile = (): TestDatabase => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "test-database-"));
  return {
    url: `sqlite://${join(folder.path, "test.db").replaceAll("%", "%25")}`,
    async [Symbol.asyncDispose]() {
      folder.remove();
    },
  };
};

/**
 * Creates an empty schema on a PostgreSQL server. `url` sets it as the only schema of the search path, so that tests can share a server.
 *
 * @param server URL of the server, whose user must be allowed to create schemas
 * @throws DatabaseUnavailableError if the server is unavailable
 */
export const databaseInSchema = async (server: string): Promise<TestDatabase> => {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const admin = openDatabase({ url: server, poolSize: 1, connectionTimeoutSecs: 30 });
  try {
    await admin.execute`CREATE SCHEMA ${sql.identifier(name)}`;
  } catch (error) {
    await admin.close();
    throw error;
  }
  const url = new URL(server);
  const options = url.searchParams.get("options") ?? "";
  url.searchParams.set("options", `${options} -c search_path=${name}`.trim());
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      try {
        await admin.execute`DROP SCHEMA IF EXISTS ${sql.identifier(name)} CASCADE`;
      } finally {
        await admin.close();
      }
    },
  };
};
