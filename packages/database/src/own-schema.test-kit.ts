import { openDatabase, sql } from "./index.ts";

let made = 0;

/** A schema of a test's own on a shared PostgreSQL server; `url` leads to it, and disposal drops it. */
export const ownSchema = async (server: string): Promise<{ readonly url: string } & AsyncDisposable> => {
  const name = `test_${process.pid}_${++made}`;
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
