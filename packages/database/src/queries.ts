import type { SqlInput, Statement } from "./statement.ts";
import type { SqlValue } from "./sql-value.ts";

/** A row as an object; name its columns in a type argument. */
export type Row = Record<string, unknown>;

/** Takes a template, a statement of `sql`, or text with `$1`, `$2` … and their values. */
export interface Ask<Base, Result extends "rows" | "row" | "value"> {
  <T extends Base = Base>(
    strings: TemplateStringsArray,
    ...inputs: readonly SqlInput[]
  ): Promise<Answer<T, Result>>;
  <T extends Base = Base>(statement: Statement): Promise<Answer<T, Result>>;
  <T extends Base = Base>(text: string, values?: readonly SqlValue[]): Promise<Answer<T, Result>>;
}

export type Answer<T, Result> = Result extends "rows" ? T[] : T | null;

/** Result of a statement without rows. */
export interface Executed {
  /** Rows that were inserted, changed or deleted. */
  readonly changes: number;
}

/** Options of a stream of rows. */
export interface StreamOptions {
  /** Rows fetched at a time, 1 to 10 000. @default 500 */
  readonly batchSize?: number;
}

/**
 * Statements, on either kind of database.
 *
 * Integers that a `number` cannot hold exactly arrive as `bigint`. PostgreSQL gives `Date` for `timestamptz` and text for `numeric`, `date` and
 * `timestamp`, in arrays as well; SQLite stores a `Date` as ISO 8601 text and a boolean as 1 or 0, and returns them in that form.
 *
 * @throws DatabaseError when the database rejects a statement; `kind` names the violated constraint
 * @throws DatabaseUnavailableError (503 as a reply) when the database is unreachable or too busy, or the connection broke
 */
export interface Queries {
  /** All rows. */
  readonly query: Ask<object, "rows">;
  /** All rows; the same as `query`. */
  readonly fetchAll: Ask<object, "rows">;
  /** The first row, or `null`. */
  readonly fetchOne: Ask<object, "row">;
  /** The first column of the first row, or `null`. */
  readonly fetchValue: Ask<unknown, "value">;
  /** Runs a statement for its effect. */
  execute(strings: TemplateStringsArray, ...inputs: readonly SqlInput[]): Promise<Executed>;
  execute(statement: Statement): Promise<Executed>;
  execute(text: string, values?: readonly SqlValue[]): Promise<Executed>;
  /** Rows one by one, with one batch in memory, from one snapshot; leaving the loop early frees everything. */
  stream<T extends object = Row>(statement: Statement, options?: StreamOptions): AsyncIterableIterator<T>;
}

/** Statements of one transaction; unusable after its function has returned. */
export interface Transaction extends Queries {
  /** A nested transaction (savepoint): a failure of its function rolls back only its own changes. */
  transaction<T>(run: (inner: Transaction) => Promise<T>): Promise<T>;
  /** Runs statements without parameters, separated by semicolons. */
  script(text: string): Promise<void>;
  /** Sends a notification when the transaction commits. */
  notify(channel: string, payload?: string): Promise<void>;
  /**
   * Calls back after the outermost transaction was committed, before its promise resolves; in the order of registration.
   *
   * Never called when the transaction, this nested one or one around it is rolled back; called once when the transaction ran again after a
   * serialisation failure. Also called when the outcome of the commit is unknown (`CommitUnknownError`), so treat the call as a hint to read again.
   * An error in a callback is logged and changes nothing. At most 10 000 for one transaction.
   *
   * @throws DATABASE_TOO_MANY_CALLBACKS
   */
  onCommit(callback: () => void): void;
}

/** Isolation level of a transaction. */
export type Isolation = "read committed" | "repeatable read" | "serializable";

/** Options of a transaction. */
export interface TransactionOptions {
  /** SQLite is always serializable. @default "read committed" */
  readonly isolation?: Isolation;
  /** Whether it may not write. @default false */
  readonly readOnly?: boolean;
  /** Retries after a serialisation failure or a deadlock, 0 to 20. @default 3 */
  readonly retries?: number;
  /**
   * Limit of the whole transaction with its retries, in seconds, in place of the limits of a wait and of one statement: `connectionTimeoutSecs`,
   * `statementTimeoutMs`, `answerTimeoutSecs`. Then it is rolled back with `DatabaseUnavailableError`, whose code is DATABASE_TRANSACTION_TIMEOUT unless it could not begin in
   * that time; 0.01 to 604 800. @default those limits
   */
  readonly timeoutSecs?: number;
  /** Rolls back and rejects with the signal's reason, like the limit also while the function waits for something else. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of statements that a signal cancels. */
export interface UntilOptions {
  /**
   * Whether single statements run beside the pool of PostgreSQL, on one connection that all urgent ones of this process share: for short statements that may not wait
   * until others have ended their transactions, such as the renewal of a lease. @default false
   */
  readonly isUrgent?: boolean;
}

/** Options of a subscription to notifications. */
export interface ListenOptions {
  /** Stops listening, like the returned function; aborted earlier, `listen` is rejected with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called after a broken connection was replaced: notifications in between are lost, so read the data again. */
  readonly onGap?: () => void;
}

/** A database, of either kind. */
export interface Database extends Queries {
  /** The kind of database. */
  readonly dialect: "sqlite" | "postgres";
  /** Transactions that may run at a time in this process: `poolSize` on PostgreSQL, 1 on SQLite. */
  readonly maxTransactions: number;
  /**
   * Runs a function in a transaction and commits when it returns.
   *
   * An error rolls back and is rethrown. After a serialisation failure or a deadlock the whole function runs again, so it must have no effects
   * outside the transaction.
   *
   * @throws CommitUnknownError when the connection broke during the commit: its outcome is unknown
   */
  transaction<T>(run: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** The same statements, cancelled when the signal aborts: they reject with its reason, and PostgreSQL cancels them. */
  until(signal: AbortSignal, options?: UntilOptions): Queries;
  /** Calls back for every notification of a channel, from any process. An error of the listener is logged. Returns a function that stops listening. */
  listen(
    channel: string,
    listener: (payload: string) => void,
    options?: ListenOptions,
  ): Promise<() => Promise<void>>;
  /** Sends a notification of at most 7 999 bytes to every listener of a channel. */
  notify(channel: string, payload?: string): Promise<void>;
  /** Waits for running statements and closes every connection. */
  close(): Promise<void>;
}
