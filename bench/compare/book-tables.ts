import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Pool } from "pg";
import { startPostgres } from "../data/packages.ts";
import { booksTable } from "../servers/row/books.ts";

/** A database that the servers of a scenario share. `env` has its address. */
export interface DataSource extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
}

/** Creates an SQLite file with the books. */
export const openSqliteBooks = async (): Promise<DataSource> => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "bench-books-"));
  const file = join(folder.path, "books.db");
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA journal_mode = WAL; ${booksTable}`);
  database.close();
  return {
    env: { BENCH_DATABASE: file },
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
};

/** Creates the books table in PostgreSQL: at `DATABASE_URL`, or on a new server. */
export const openPostgresBooks = async (): Promise<DataSource> => {
  const configuredUrl = process.env["DATABASE_URL"];
  const server = configuredUrl === undefined ? await startPostgres() : null;
  const url = configuredUrl ?? server?.url ?? "";
  const pool = new Pool({ connectionString: url, max: 1 });
  await pool.query(booksTable);
  await pool.end();
  return {
    env: { BENCH_DATABASE: url },
    [Symbol.asyncDispose]: async () => server?.[Symbol.asyncDispose](),
  };
};
