import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { Outcome } from "../backend.ts";
import type { Row } from "../queries.ts";
import { isDate, type SqlValue } from "../sql-value.ts";
import type { Statement } from "../statement.ts";
import { FrameworkError } from "@framework/core";
import { numberedPlaceholders } from "./placeholders.ts";
import { isTooLargeForNumber } from "./sqlite-errors.ts";

/** Prepared statements kept per connection; the one used longest ago makes room. */
const MAX_PREPARED = 500;

/** Longest wait for others that are opening the same file; only here the process waits with it. */
const OPEN_TIMEOUT_MS = 5000;

interface Prepared {
  readonly statement: StatementSync;
  readonly givesRows: boolean;
}

/** One connection to a SQLite database: synchronous, with its statements prepared once. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(location: string, { readOnly = false }: { readonly readOnly?: boolean } = {}) {
    this.#database = new DatabaseSync(location, { readOnly, timeout: OPEN_TIMEOUT_MS });
    if (!readOnly)
      this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
    this.#database.exec("PRAGMA busy_timeout = 0"); // waiting is done without blocking the process
  }

  /** @param first reads one row only */
  run({ text, values }: Statement, first = false): Outcome {
    const { statement, givesRows } = this.#prepare(text);
    const parameters = toParameters(values);
    if (!givesRows) return { rows: [], changes: Number(statement.run(...parameters).changes) };
    const rows = first ? firstRow(statement, parameters) : allRows(statement, parameters);
    return { rows, changes: rows.length };
  }

  script(text: string): void {
    this.#database.exec(text);
  }

  /** Rows of a statement that nothing else uses meanwhile. */
  *rows({ text, values }: Statement): Generator<Row> {
    const statement = this.#database.prepare(numberedPlaceholders(text));
    statement.setReadBigInts(true);
    for (const row of statement.iterate(...toParameters(values))) yield withNumbers(row as Row);
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    this.#prepared.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(text: string): Prepared {
    const known = this.#prepared.get(text);
    if (known !== undefined) {
      if (this.#prepared.size > MAX_PREPARED / 2) this.#touch(text, known);
      return known;
    }
    const statement = this.#database.prepare(numberedPlaceholders(text));
    const prepared = { statement, givesRows: statement.columns().length > 0 };
    this.#touch(text, prepared);
    if (this.#prepared.size > MAX_PREPARED) {
      for (const oldest of this.#prepared.keys()) {
        this.#prepared.delete(oldest);
        break;
      }
    }
    return prepared;
  }

  #touch(text: string, prepared: Prepared): void {
    this.#prepared.delete(text);
    this.#prepared.set(text, prepared);
  }
}

const allRows = (statement: StatementSync, parameters: readonly SQLInputValue[]): Row[] => {
  try {
    return statement.all(...parameters) as Row[];
  } catch (error) {
    if (!isTooLargeForNumber(error)) throw error;
    return exactRows(statement, parameters);
  }
};

const firstRow = (statement: StatementSync, parameters: readonly SQLInputValue[]): Row[] => {
  try {
    const row = statement.get(...parameters) as Row | undefined;
    return row === undefined ? [] : [row];
  } catch (error) {
    if (!isTooLargeForNumber(error)) throw error;
    return exactRows(statement, parameters).slice(0, 1);
  }
};

/** Reads once more, every integer exactly; only reached when one of them is too large, which is rare. */
const exactRows = (statement: StatementSync, parameters: readonly SQLInputValue[]): Row[] => {
  statement.setReadBigInts(true);
  try {
    return (statement.all(...parameters) as Row[]).map(withNumbers);
  } finally {
    statement.setReadBigInts(false);
  }
};

const withNumbers = (row: Row): Row => {
  for (const column in row) {
    const value = row[column];
    if (typeof value === "bigint" && Number.isSafeInteger(Number(value))) row[column] = Number(value);
  }
  return row;
};

/** Most values go in as they are, and then the list does. */
const toParameters = (values: readonly SqlValue[]): readonly SQLInputValue[] =>
  values.every(isParameter) ? values : values.map(toParameter);

const isParameter = (value: SqlValue): value is SqlValue & SQLInputValue =>
  value === null || (typeof value !== "object" && typeof value !== "boolean");

const toParameter = (value: SqlValue): SQLInputValue => {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "object" || value === null) return value;
  if (isDate(value)) return value.toISOString();
  if (Array.isArray(value)) {
    throw new FrameworkError("DATABASE_BAD_VALUE", "SQLite has no lists; use `IN (${sql.list(values)})`");
  }
  return value as Uint8Array;
};
