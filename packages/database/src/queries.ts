import type { SqlInput, Statement } from "./statement.ts";
import type { SqlValue } from "./sql-value.ts";

/** A row as an object. Pass a more specific type as type argument. */
export type Row = Record<string, unknown>;

/** Accepts a template, a statement of `sql`, or a text with `$1`, `$2` … and its values. */
export interface QueryMethod<Base, Result extends "rows" | "row" | "value"> {
  <T extends Base = Base>(
    strings: TemplateStringsArray,
    ...inputs: readonly SqlInput[]
  ): Promise<QueryResult<T, Result>>;
  <T extends Base = Base>(statement: Statement): Promise<QueryResult<T, Result>>;
  <T extends Base = Base>(text: string, values?: readonly SqlValue[]): Promise<QueryResult<T, Result>>;
}

export type QueryResult<T, Result> = Result extends "rows" ? T[] : T | null;

/** Result of a statement without rows. */
export interface StatementResult {
  /** Number of rows inserted, changed or deleted; of a read, the number of its rows. */
  readonly changes: number;
}

/** Options of a stream of rows. */
export interface StreamOptions {
  /** Number of rows per batch, 1 to 10 000. @default 500 */
  readonly batchSize?: number;
}

/**
 * Runs statements, on either kind of database.
 *
 * Integers that a `number` cannot represent exactly are returned as `bigint`. PostgreSQL returns a `Date` for `timestamptz` and strings for `numeric`, `date`
 * and `timestamp`, in arrays as well; SQLite stores a `Date` as an ISO 8601 string and a boolean as 1 or 0, and returns them in that form.
 *
 * @throws DatabaseError if the database rejects a statement; `kind` is the cause
 * @throws DatabaseUnavailableError (503 as a reply) if the database is unreachable or too busy, or the connection broke
 */
export interface Queries {
  /** Returns all rows. */
  readonly query: QueryMethod<object, "rows">;
  /** Returns all rows; the same as `query`. */
  readonly fetchAll: QueryMethod<object, "rows">;
  /** Returns the first row, or `null`. */
  readonly fetchOne: QueryMethod<object, "row">;
  /** Returns the first column of the first row, or `null`. */
  readonly fetchValue: QueryMethod<unknown, "value">;
  /** Runs a statement for its effect. */
  execute(strings: TemplateStringsArray, ...inputs: readonly SqlInput[]): Promise<StatementResult>;
  execute(statement: Statement): Promise<StatementResult>;
  execute(text: string, values?: readonly SqlValue[]): Promise<StatementResult>;
  /** Yields rows from one snapshot (not on an in-memory SQLite database), with only one batch in memory. Leaving the loop frees all resources. */
  stream<T extends object = Row>(statement: Statement, options?: StreamOptions): AsyncIterableIterator<T>;
}

/** Statements of one transaction; unusable after its function has returned. */
export interface Transaction extends Queries {
  /** Runs a nested transaction (savepoint): a failure of its function rolls back only its own changes. */
  transaction<T>(run: (inner: Transaction) => Promise<T>): Promise<T>;
  /** Runs statements without parameters, separated by semicolons. */
  script(text: string): Promise<void>;
  /** Sends a notification when the transaction commits. */
  notify(channel: string, payload?: string): Promise<void>;
  /**
   * Registers a callback that runs after the commit of the outermost transaction and before its promise resolves, in the order of registration.
   *
   * It is not called if this transaction or an enclosing one is rolled back, and called once if the transaction ran several times because of
   * serialisation failures. It is also called if the outcome of the commit is unknown (`CommitUnknownError`), so treat it as a hint to read the data again.
   * Errors of callbacks are logged. At most 10 000 per transaction.
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
  /** Whether writes are refused. @default false */
  readonly readOnly?: boolean;
  /** Maximum number of retries after a serialisation failure or a deadlock, 0 to 20. @default 3 */
  readonly retries?: number;
  /**
   * Limit of the whole transaction with its retries, in seconds, 0.01 to 604 800. Replaces `connectionTimeoutSecs`, `statementTimeoutMs` and
   * `answerTimeoutSecs`. When it is reached, the transaction is rolled back and rejects with `DatabaseUnavailableError`, whose code is
   * DATABASE_TRANSACTION_TIMEOUT if it had begun; during the commit it rejects with `CommitUnknownError`. @default those limits
   */
  readonly timeoutSecs?: number;
  /** Rolls back and rejects with the signal's reason when it aborts, even while the function waits for something else. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of statements that a signal cancels. */
export interface UntilOptions {
  /**
   * Whether statements use a separate PostgreSQL connection, shared by all urgent statements of this process, instead of the pool: for short statements that
   * must not wait for other transactions, such as the renewal of a lease. @default false
   */
  readonly isUrgent?: boolean;
}

/** Options of a subscription to notifications. */
export interface ListenOptions {
  /** Stops listening when it aborts; if it is already aborted, `listen` rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called after a broken connection was replaced. Notifications in between are lost, so read the data again. */
  readonly onGap?: () => void;
}

/** A database of either kind. */
export interface Database extends Queries {
  /** The kind of database. */
  readonly dialect: "sqlite" | "postgres";
  /** Maximum number of concurrent transactions in this process: `poolSize` on PostgreSQL, 1 on SQLite. */
  readonly maxTransactions: number;
  /**
   * Runs a function in a transaction, and commits when it has returned.
   *
   * An error rolls back and is rethrown. After a serialisation failure or a deadlock the whole function runs again, so it must have no effects
   * outside the transaction.
   *
   * @throws CommitUnknownError if the connection broke during the commit, whose outcome is then unknown
   */
  transaction<T>(run: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Returns the same statement methods with a signal: when it aborts, statements reject with its reason and PostgreSQL cancels them. */
  until(signal: AbortSignal, options?: UntilOptions): Queries;
  /**
   * Calls `listener` for every notification on a channel. On SQLite, notifications reach only workers of the same service. Errors of the listener are logged.
   * Returns a function that stops listening.
   */
  listen(
    channel: string,
    listener: (payload: string) => void,
    options?: ListenOptions,
  ): Promise<() => Promise<void>>;
  /** Sends a notification of at most 7 999 bytes to all listeners of a channel. */
  notify(channel: string, payload?: string): Promise<void>;
  /**
   * Closes every connection after running statements have ended. SQLite waits at most `connectionTimeoutSecs` for a transaction, and then rolls it back.
   */
  close(): Promise<void>;
}
