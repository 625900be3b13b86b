// A database of the test's own.
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase, sql } from "@framework/database";

/** A database that a test may use: its address, and its end. */
export type TestPlace = { readonly url: string } & AsyncDisposable;

export const inFile = async (): Promise<TestPlace> => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "jobs-"));
  return {
    url: `sqlite://${join(folder.path, "test.db")}`,
    async [Symbol.asyncDispose]() {
      folder.remove();
    },
  };
};

let made = 0;

/** A schema of a test's own on a shared PostgreSQL server. */
export const inSchema = async (server: string): Promise<TestPlace> => {
  const name = `jobs_${process.pid}_${++made}`;
  const admin = openDatabase({ url: server, poolSize: 1 });
  await admin.execute`CREATE SCHEMA ${sql.identifier(name)}`;
  const url = new URL(server);
  url.searchParams.set("options", `-c search_path=${name}`);
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      await admin.execute`DROP SCHEMA ${sql.identifier(name)} CASCADE`;
      await admin.close();
    },
  };
};
