import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { Outcome } from "../backend.ts";
import type { Row } from "../queries.ts";
import { numberedPlaceholders } from "./placeholders.ts";

/** Prepared statements kept per connection; the one used longest ago makes room. */
const MAX_PREPARED = 500;

/** Longest wait for others that are opening the same file; only here the process waits with it. */
const OPEN_TIMEOUT_MS = 5000;

/** A statement that its connection keeps. */
export interface Prepared {
  readonly statement: StatementSync;
  readonly givesRows: boolean;
  /** Names of the columns when the text itself gives them; `*` may mean others after a change of the table. */
  readonly names: readonly string[] | null;
}

export interface ConnectionOptions {
  readonly readOnly?: boolean;
  /** Longest wait for a lock, with the whole thread; the main one does its waiting without it. */
  readonly busyTimeoutMs?: number;
}

/** One connection to a SQLite database: synchronous, with its statements prepared once. */
export class SqliteConnection {
  private readonly database: DatabaseSync;
  private readonly prepared = new Map<string, Prepared>();

  constructor(location: string, { readOnly = false, busyTimeoutMs = 0 }: ConnectionOptions = {}) {
    this.database = new DatabaseSync(location, { readOnly, timeout: OPEN_TIMEOUT_MS });
    if (!readOnly)
      this.database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
    this.database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  }

  /** What was prepared for a text, if it was. */
  known(text: string): Prepared | undefined {
    const known = this.prepared.get(text);
    if (known !== undefined && this.prepared.size > MAX_PREPARED / 2) this.touch(text, known);
    return known;
  }

  prepare(text: string): Prepared {
    const known = this.known(text);
    if (known !== undefined) return known;
    const prepared = prepare(this.database, text);
    this.touch(text, prepared);
    if (this.prepared.size > MAX_PREPARED) {
      for (const oldest of this.prepared.keys()) {
        this.prepared.delete(oldest);
        break;
      }
    }
    return prepared;
  }

  forget(text: string): void {
    this.prepared.delete(text);
  }

  /** @param first reads one row only */
  run(prepared: Prepared, parameters: readonly SQLInputValue[], first = false): Outcome {
    if (!prepared.givesRows)
      return { rows: [], changes: Number(prepared.statement.run(...parameters).changes) };
    const rows = readRows(prepared, parameters, first);
    return { rows, changes: rows.length };
  }

  script(text: string): void {
    this.database.exec(text);
  }

  /** Rows of a statement that nothing else uses meanwhile. */
  *rows(text: string, parameters: readonly SQLInputValue[]): Generator<Row> {
    const statement = this.database.prepare(numberedPlaceholders(text));
    statement.setReadBigInts(true);
    for (const row of statement.iterate(...parameters)) yield plainRow(row as Row);
  }

  get inTransaction(): boolean {
    return this.database.isTransaction;
  }

  close(): void {
    this.prepared.clear();
    if (this.database.isOpen) this.database.close();
  }

  private touch(text: string, prepared: Prepared): void {
    this.prepared.delete(text);
    this.prepared.set(text, prepared);
  }
}

const prepare = (database: DatabaseSync, text: string): Prepared => {
  const statement = database.prepare(numberedPlaceholders(text));
  const columns = statement.columns().map(({ name }) => name);
  const names = text.includes("*") || columns.includes("__proto__") ? null : columns;
  statement.setReturnArrays(names !== null);
  return { statement, givesRows: columns.length > 0, names };
};

const readRows = (prepared: Prepared, parameters: readonly SQLInputValue[], first: boolean): Row[] => {
  const { statement, names } = prepared;
  try {
    if (!first) return toRows(statement.all(...parameters), names);
    const row = statement.get(...parameters);
    return row === undefined ? [] : [toRow(row, names)];
  } catch (error) {
    if (!isTooLargeForNumber(error)) throw error;
    const rows = exactRows(prepared, parameters);
    return first ? rows.slice(0, 1) : rows;
  }
};

/** Reads once more, every integer exactly; only reached when one of them is too large, which is rare. */
const exactRows = ({ statement, names }: Prepared, parameters: readonly SQLInputValue[]): Row[] => {
  statement.setReadBigInts(true);
  statement.setReturnArrays(false);
  try {
    return toRows(statement.all(...parameters), null);
  } finally {
    statement.setReadBigInts(false);
    statement.setReturnArrays(names !== null);
  }
};

/** Whether an integer was read that a `number` cannot hold. */
const isTooLargeForNumber = (error: unknown): boolean =>
  Error.isError(error) && (error as { code?: unknown }).code === "ERR_OUT_OF_RANGE";

const toRows = (read: unknown[], names: readonly string[] | null): Row[] => {
  for (let at = 0; at < read.length; at++) read[at] = toRow(read[at], names);
  return read as Row[];
};

const toRow = (read: unknown, names: readonly string[] | null): Row =>
  names === null ? plainRow(read as Row) : namedRow(read as readonly unknown[], names);

/** Objects made here are sooner made, and far sooner read and turned into JSON, than those of `node:sqlite`, which are dictionaries. */
const namedRow = (values: readonly unknown[], names: readonly string[]): Row => {
  const row: Row = {};
  for (let at = 0; at < names.length; at++) row[names[at] as string] = values[at];
  return row;
};

const plainRow = (read: Row): Row => {
  const row: Row = {};
  for (const name in read) {
    const value = read[name];
    const exact = typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
    if (name === "__proto__") Object.defineProperty(row, name, { value: exact, enumerable: true });
    else row[name] = exact;
  }
  return row;
};
