import { mkdtempDisposableSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "@framework/core";
import { database, type DatabaseMethods, loadPg } from "./packages.ts";
import { type Comparison, compareImplementations } from "./compare-implementations.ts";

/** Books in the table; every query selects one of them by its primary key. */
const BOOKS = 1000;
const insertBooks = `INSERT INTO bench_books (id, title, author, year) VALUES ${Array.from(
  { length: BOOKS },
  (_, at) => `(${at + 1}, 'Title of book ${at + 1}', 'Author ${at % 50}', ${1900 + (at % 120)})`,
).join(", ")}`;
const TABLE =
  "CREATE TABLE bench_books (id INTEGER PRIMARY KEY, title TEXT NOT NULL, author TEXT NOT NULL, year INTEGER)";

/** Concurrent callers, and connections for them. */
const CALLERS = 10;

const openApp = async (url: string): Promise<App & DatabaseMethods> => {
  const app = new (App.with(database))().enableDatabase({ url, poolSize: CALLERS });
  await app.start({ env: "production" });
  await app.db.execute("DROP TABLE IF EXISTS bench_books");
  await app.db.execute(TABLE);
  await app.db.execute(insertBooks);
  return app;
};

/** Runs `calls` queries from several concurrent callers. */
const fromCallers = async (calls: number, query: (id: number) => Promise<unknown>): Promise<void> => {
  let left = calls;
  const caller = async (): Promise<void> => {
    while (left-- > 0) await query((left % BOOKS) + 1);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
};

/** Compares a point query on PostgreSQL: `app.db` with a `pg` pool, both with a prepared statement. */
export const comparePostgres = async (url: string, rounds: number): Promise<Comparison> => {
  const app = await openApp(url);
  const pool = new (loadPg().Pool)({ connectionString: url, max: CALLERS });
  pool.on("error", () => {}); // idle connections fail when the server stops
  const text = "SELECT id, title, author, year FROM bench_books WHERE id = $1";
  try {
    return await compareImplementations(
      {
        name: "@framework/database",
        run: (calls) =>
          fromCallers(
            calls,
            (id) => app.db.fetchOne`SELECT id, title, author, year FROM bench_books WHERE id = ${id}`,
          ),
      },
      {
        name: "pg",
        run: (calls) =>
          fromCallers(calls, async (id) => (await pool.query({ name: "book", text, values: [id] })).rows[0]),
      },
      { calls: 500, rounds },
    );
  } finally {
    await pool.end();
    await app.stop();
  }
};

let sink: unknown;

/** Compares a point query on an SQLite file: `app.db` with a prepared statement of `node:sqlite`. */
export const compareSqlite = async (rounds: number): Promise<Comparison> => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "bench-sqlite-"));
  const file = join(folder.path, "books.db");
  const app = await openApp(`sqlite://${file}`);
  const bare = new DatabaseSync(file, { readOnly: true });
  const prepared = bare.prepare("SELECT id, title, author, year FROM bench_books WHERE id = ?");
  try {
    return await compareImplementations(
      {
        name: "@framework/database",
        run: async (calls) => {
          for (let at = 0; at < calls; at++) {
            sink = await app.db
              .fetchOne`SELECT id, title, author, year FROM bench_books WHERE id = ${(at % BOOKS) + 1}`;
          }
        },
      },
      {
        name: "node:sqlite",
        run: async (calls) => {
          for (let at = 0; at < calls; at++) sink = prepared.get((at % BOOKS) + 1);
          return sink;
        },
      },
      { calls: 2000, rounds },
    );
  } finally {
    bare.close();
    await app.stop();
  }
};
