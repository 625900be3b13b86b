import { FrameworkError, HttpError } from "@framework/core";

/** Cause of a rejected statement. */
export type DatabaseErrorKind =
  | "unique"
  | "foreign-key"
  | "not-null"
  | "check"
  | "serialization"
  | "deadlock"
  | "cancelled"
  | "timeout"
  | "syntax"
  | "other";

/** The database rejected a statement. The reply is a plain 500, without details for clients. */
export class DatabaseError extends FrameworkError {
  override readonly name = "DatabaseError";
  /** The kind of failure, the same for both databases. */
  readonly kind: DatabaseErrorKind;
  /** The database's own code: SQLSTATE of PostgreSQL, extended result code of SQLite. */
  readonly sqlCode: string;
  /** Name of the violated constraint (PostgreSQL), or its columns (SQLite); `null` if there is none. */
  readonly constraint: string | null;

  constructor(
    kind: DatabaseErrorKind,
    message: string,
    { sqlCode, constraint = null, cause }: { sqlCode: string; constraint?: string | null; cause?: unknown },
  ) {
    super("DATABASE_STATEMENT_FAILED", message, { cause });
    this.kind = kind;
    this.sqlCode = sqlCode;
    this.constraint = constraint;
  }
}

/**
 * 503 with `Retry-After`: the database is unreachable or closed, no connection became free in time, the connection broke, or a transaction exceeded its
 * `timeoutSecs`.
 */
export class DatabaseUnavailableError extends HttpError {
  override readonly name = "DatabaseUnavailableError";
  /** Reason for the log; not part of the reply. */
  readonly reason: string;

  constructor(reason: string, options: { code?: string; cause?: unknown } = {}) {
    super(503, "The database is not available", {
      code: options.code ?? "DATABASE_UNAVAILABLE",
      headers: { "retry-after": "1" },
      retry_after: 1,
      cause: options.cause ?? new Error(reason),
    });
    this.reason = reason;
  }
}

/** The database was used after it had been closed. */
export const databaseClosed = (cause?: unknown): DatabaseUnavailableError =>
  new DatabaseUnavailableError("the database is closed", { code: "DATABASE_CLOSED", cause });

/** 503: the connection broke during a commit, so its outcome is unknown. Read the data before repeating the change. */
export class CommitUnknownError extends HttpError {
  override readonly name = "CommitUnknownError";

  constructor(cause: unknown) {
    super(503, "The outcome of the change is unknown", { code: "DATABASE_COMMIT_UNKNOWN", cause });
  }
}

const MAX_QUOTED_TEXT = 200;

/** A statement of the transaction has failed, so further statements are refused and nothing is committed. */
export const transactionAborted = (cause: DatabaseError | null, text: string | null): FrameworkError => {
  const statement = text === null ? "a statement in it" : text.trim().slice(0, MAX_QUOTED_TEXT);
  const reason = cause === null ? "" : ` (${cause.message})`;
  return new FrameworkError(
    "DATABASE_TRANSACTION_ABORTED",
    `the transaction cannot commit, because a statement has failed: ${statement}${reason}; let the error propagate, or catch it around tx.transaction(…)`,
    { cause },
  );
};

/** A transaction was used while a nested one was open: the statement would become part of the nested one's savepoint. */
export const nestedTransactionOpen = (): FrameworkError =>
  new FrameworkError(
    "DATABASE_TRANSACTION_NESTED",
    "a nested transaction is open; use the transaction passed to its function, and await it before opening the next",
  );

/** A transaction was used after its idle timeout. */
export const transactionIdle = (idleMs: number): FrameworkError =>
  new FrameworkError(
    "DATABASE_TRANSACTION_IDLE",
    `the transaction was rolled back after ${idleMs} ms without a statement, to free its connection`,
  );

/** A transaction was used after it had ended. */
export const transactionEnded = (): FrameworkError =>
  new FrameworkError(
    "DATABASE_TRANSACTION_OVER",
    "this transaction has ended; await every statement before its function returns",
  );
