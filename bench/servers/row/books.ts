/** Finds a row by its primary key in SQLite or PostgreSQL, as chosen by `--database`; its address is in `BENCH_DATABASE`. */
import { DatabaseSync } from "node:sqlite";
import type { Pool } from "pg";

/** A row of the table. */
export interface Book {
  readonly id: number;
  readonly title: string;
  readonly author: string;
  readonly year: number;
}

const BOOKS = 1000;

/** Returns the book with a key from 1 to 1,000. */
export const bookOf = (id: number): Book => ({
  id,
  title: `Title of book ${id}`,
  author: `Author ${id % 50 < 10 ? "B" : "A"}`,
  year: 1900 + (id % 100),
});

/** SQL that creates and fills the table. */
export const booksTable: string = [
  "DROP TABLE IF EXISTS bench_books",
  "CREATE TABLE bench_books (id INTEGER PRIMARY KEY, title TEXT NOT NULL, author TEXT NOT NULL, year INTEGER NOT NULL)",
  `INSERT INTO bench_books (id, title, author, year) VALUES ${Array.from({ length: BOOKS }, (_, at) => {
    const { id, title, author, year } = bookOf(at + 1);
    return `(${id}, '${title}', '${author}', ${year})`;
  }).join(", ")}`,
].join(";\n");

/** Connections to PostgreSQL. */
export const CONNECTIONS = 10;

/** Address of the database. */
export const address: string = process.env["BENCH_DATABASE"] ?? "";
export const withPostgres: boolean = process.argv.includes("--database=postgres");

/** Finds a book; `undefined` if there is none. Synchronous for SQLite, like `node:sqlite`. */
export type FindBook = (id: number) => Book | undefined | Promise<Book | undefined>;

const SELECT = "SELECT id, title, author, year FROM bench_books WHERE id";

const openSqlite = (): FindBook => {
  const statement = new DatabaseSync(address).prepare(`${SELECT} = ?`);
  return (id) => statement.get(id) as Book | undefined;
};

const findIn =
  (pool: Pool): FindBook =>
  async (id) =>
    (await pool.query<Book>({ name: "book", text: `${SELECT} = $1`, values: [id] })).rows[0];

/** Opens the database with the bare library: `node:sqlite`, or a pool of `pg`, with the statement prepared. */
export const openBooks = async (): Promise<FindBook> => {
  if (!withPostgres) return openSqlite();
  const { Pool } = await import("pg");
  return findIn(new Pool({ connectionString: address, max: CONNECTIONS }));
};
