import { FrameworkError, HttpError } from "@framework/core";

/** What a statement ran into. */
export type DatabaseErrorKind =
  | "unique"
  | "foreign-key"
  | "not-null"
  | "check"
  | "serialization"
  | "deadlock"
  | "canceled"
  | "timeout"
  | "syntax"
  | "other";

/** The database refused a statement. A reply of it is a plain 500: what was wrong with a statement is not for clients. */
export class DatabaseError extends FrameworkError {
  override readonly name = "DatabaseError";
  readonly kind: DatabaseErrorKind;
  /** The code of the database itself: SQLSTATE of PostgreSQL, extended result code of SQLite. */
  readonly sqlCode: string;
  /** Name of the constraint (PostgreSQL) or the columns (SQLite) that the statement would have broken. */
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

/** 503 with `Retry-After`: the database cannot be reached, has no free connection in time, or broke off. */
export class DatabaseUnavailableError extends HttpError {
  override readonly name = "DatabaseUnavailableError";
  /** What happened, for the log; the reply says only that the service is unavailable for now. */
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

/** 503: the connection broke while a transaction committed; nobody knows whether it happened. Look before you do it again. */
export class CommitUnknownError extends HttpError {
  override readonly name = "CommitUnknownError";

  constructor(cause: unknown) {
    super(503, "It is not known whether the change was stored", { code: "DATABASE_COMMIT_UNKNOWN", cause });
  }
}

/** A transaction was used after its function had returned. */
export const transactionOver = (): FrameworkError =>
  new FrameworkError(
    "DATABASE_TRANSACTION_OVER",
    "this transaction has ended; await every statement before its function returns",
  );
