import { DatabaseError, type DatabaseErrorKind, DatabaseUnavailableError } from "../database-errors.ts";

/** Kind of error by SQLSTATE (PostgreSQL manual, appendix A). */
const kinds: Readonly<Record<string, DatabaseErrorKind>> = {
  "23505": "unique",
  "23503": "foreign-key",
  "23001": "foreign-key", // RESTRICT, since PostgreSQL 18
  "23502": "not-null",
  "23514": "check",
  "40001": "serialization",
  "40P01": "deadlock",
  "57014": "cancelled",
  "25P03": "timeout",
  "55P03": "timeout",
  "42601": "syntax",
  "42P01": "syntax",
  "42703": "syntax",
};

/** The connection failed, or the server is stopping, starting or out of resources; the statement is not at fault. */
const UNAVAILABLE = /^(08|57P0[1235]$|53[0-9A-Z]{3}$)/;

/** SQLSTATE of a write on a read-only server, such as a standby after a failover; the next connection may reach the new primary. */
const READ_ONLY = "25006";

interface ServerError extends Error {
  readonly code: string;
  readonly constraint?: string;
  /** Function of the server that reported the error. */
  readonly routine?: string;
}

const isServerError = (error: unknown): error is ServerError =>
  Error.isError(error) &&
  /^[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code)) &&
  "severity" in error;

/** Whether the connection is broken and must not return to the pool. */
export const isBroken = (error: unknown, readOnly = false): boolean =>
  !isServerError(error) || isUnavailable(error.code, readOnly);

/** Whether the server refused a write because it is read-only. */
export const isReadOnly = (error: unknown): boolean => isServerError(error) && error.code === READ_ONLY;

/**
 * Whether a prepared statement is outdated: its result columns have changed, because a table was altered. The server then rejects it on each
 * connection that has prepared it ("cached plan must not change result type", in the server's language).
 *
 * @param error an error of `pg`, or one converted by `postgresError`
 */
export const isOutdated = (error: unknown): boolean => {
  for (let each = error; Error.isError(each); each = each.cause)
    if (isServerError(each)) return each.code === "0A000" && each.routine === "RevalidateCachedQuery";
  return false;
};

/** Whether the server gave no reply in time. */
export const isReplyTimeout = (error: unknown): boolean =>
  Error.isError(error) && error.message === "Query read timeout"; // `pg` sets no code

const isUnavailable = (code: string, readOnly: boolean): boolean =>
  UNAVAILABLE.test(code) || (code === READ_ONLY && !readOnly);

/**
 * Converts an error of `pg` to a `DatabaseError` if the server rejected the statement, otherwise to a `DatabaseUnavailableError`.
 *
 * @param readOnly whether the transaction is read-only
 */
export const postgresError = (error: unknown, text: string, readOnly = false): unknown => {
  if (!Error.isError(error) || error instanceof DatabaseUnavailableError) return error;
  if (!isServerError(error)) {
    const reason = isReplyTimeout(error) ? "the server did not answer in time" : error.message;
    return new DatabaseUnavailableError(reason, { cause: error });
  }
  if (isUnavailable(error.code, readOnly))
    return new DatabaseUnavailableError(error.message, { cause: error });
  const { code, constraint = null } = error;
  const kind = kinds[code] ?? "other";
  const cause = new Error(`${error.message}, in: ${text}`, { cause: error });
  return new DatabaseError(kind, error.message, { sqlCode: code, constraint, cause });
};
