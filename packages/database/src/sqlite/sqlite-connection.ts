import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { Outcome } from "../backend.ts";
import type { Row } from "../queries.ts";
import { leavesState } from "./lasting-state.ts";
import { numberedPlaceholders } from "./placeholders.ts";
import { changesRows, onlyReads } from "./statement-kind.ts";

/** Maximum number of prepared statements per connection; the least recently used is evicted. */
const MAX_PREPARED = 500;

/** A prepared statement in the cache. */
export interface PreparedStatement {
  readonly statement: StatementSync;
  readonly givesRows: boolean;
  readonly changesRows: boolean;
  /** Whether integers are always read as `bigint`: a statement that writes must not run again if one is too large for a `number`. */
  readonly readsBigInts: boolean;
  /** Whether it changes the state of the connection for later callers. */
  readonly leavesState: boolean;
  /** Column names, if the text determines them; with `*` they change with the table. */
  readonly names: readonly string[] | null;
}

export interface ConnectionOptions {
  readonly readOnly?: boolean;
  /** @default "full" */
  readonly synchronous?: "full" | "normal";
  /** Maximum blocking wait for a lock. @default 0, because the service waits without blocking */
  readonly busyTimeoutMs?: number;
}

/** One connection to a SQLite database: synchronous, with its statements prepared once. */
export class SqliteConnection {
  private readonly database: DatabaseSync;
  private readonly prepared = new Map<string, PreparedStatement>();

  constructor(
    location: string,
    { readOnly = false, synchronous = "full", busyTimeoutMs = 0 }: ConnectionOptions = {},
  ) {
    this.database = new DatabaseSync(location, { readOnly, timeout: busyTimeoutMs });
    try {
      if (!readOnly) this.setUp(synchronous);
    } catch (error) {
      this.database.close(); // the caller may retry if another process held the lock
      throw error;
    }
  }

  private setUp(synchronous: string): void {
    this.database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = ON`,
    );
    this.database.exec("PRAGMA secure_delete = ON"); // otherwise deleted personal data stays in the file
  }

  /** Returns the cached statement of a text, if any. */
  known(text: string): PreparedStatement | undefined {
    const known = this.prepared.get(text);
    if (known !== undefined && this.prepared.size > MAX_PREPARED / 2) this.touch(text, known);
    return known;
  }

  prepare(text: string): PreparedStatement {
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

  /** @param first whether to return at most one row */
  run(prepared: PreparedStatement, parameters: readonly SQLInputValue[], first = false): Outcome {
    if (!prepared.givesRows) {
      const { changes } = prepared.statement.run(...parameters);
      // SQLite returns the count of the last statement that changed rows, even if others ran since.
      return { rows: [], changes: prepared.changesRows ? Number(changes) : 0 };
    }
    const rows = readRows(prepared, parameters, first);
    return { rows, changes: rows.length };
  }

  /** Runs a cached prepared statement without rows, such as COMMIT. */
  execute(text: string): void {
    this.prepare(text).statement.run();
  }

  script(text: string): void {
    this.database.exec(text);
  }

  /** Yields the rows of a statement that is prepared for this call only. */
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

  private touch(text: string, prepared: PreparedStatement): void {
    this.prepared.delete(text);
    this.prepared.set(text, prepared);
  }
}

/** Matches a `*` that selects all columns, but not a multiplication or `count(*)`; after a comment it may be either. */
const ALL_COLUMNS = /(?:\b(?:select|distinct|all|returning)|[,.]|\*\/|--[^\n]*)\s*\*/i;

const prepare = (database: DatabaseSync, text: string): PreparedStatement => {
  const statement = database.prepare(numberedPlaceholders(text));
  const columns = statement.columns().map(({ name }) => name);
  const names = ALL_COLUMNS.test(text) || columns.includes("__proto__") ? null : columns;
  const readsBigInts = !onlyReads(text);
  statement.setReturnArrays(names !== null);
  statement.setReadBigInts(readsBigInts);
  const givesRows = columns.length > 0;
  return {
    statement,
    givesRows,
    changesRows: !givesRows && changesRows(text),
    readsBigInts,
    leavesState: leavesState(text),
    names,
  };
};

const readRows = (
  prepared: PreparedStatement,
  parameters: readonly SQLInputValue[],
  first: boolean,
): Row[] => {
  const { statement } = prepared;
  try {
    if (!first) return toRows(statement.all(...parameters), prepared);
    const row = statement.get(...parameters);
    return row === undefined ? [] : [toRow(row, prepared)];
  } catch (error) {
    if (!isTooLargeForNumber(error)) throw error;
    const rows = exactRows(prepared, parameters);
    return first ? rows.slice(0, 1) : rows;
  }
};

/** Reads again with exact integers, in the rare case that one is too large for a `number`. Only for statements without effects. */
const exactRows = ({ statement, names }: PreparedStatement, parameters: readonly SQLInputValue[]): Row[] => {
  statement.setReadBigInts(true);
  statement.setReturnArrays(false);
  try {
    return toRows(statement.all(...parameters), { names: null, readsBigInts: true });
  } finally {
    statement.setReadBigInts(false);
    statement.setReturnArrays(names !== null);
  }
};

/** Whether the error is an integer too large for a `number`. */
const isTooLargeForNumber = (error: unknown): boolean =>
  Error.isError(error) && (error as { code?: unknown }).code === "ERR_OUT_OF_RANGE";

type RowShape = Pick<PreparedStatement, "names" | "readsBigInts">;

const toRows = (read: unknown[], shape: RowShape): Row[] => {
  for (let at = 0; at < read.length; at++) read[at] = toRow(read[at], shape);
  return read as Row[];
};

const toRow = (read: unknown, { names, readsBigInts }: RowShape): Row => {
  if (names === null) return plainRow(read as Row);
  const values = read as readonly unknown[];
  return namedRow(readsBigInts ? values.map(toExactNumber) : values, names);
};

/** Creates a plain object, which is faster to create, read and serialise than the dictionary-mode objects of `node:sqlite`. */
const namedRow = (values: readonly unknown[], names: readonly string[]): Row => {
  const row: Row = {};
  for (let at = 0; at < names.length; at++) row[names[at] as string] = values[at];
  return row;
};

const plainRow = (read: Row): Row => {
  const row: Row = {};
  for (const name in read) {
    const value = toExactNumber(read[name]);
    if (name === "__proto__") Object.defineProperty(row, name, { value, enumerable: true });
    else row[name] = value;
  }
  return row;
};

/** Converts an integer to a `number` if that is exact. */
const toExactNumber = (value: unknown): unknown =>
  typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
