import { messageOf } from "@framework/core/feature";
import {
  databaseClosed,
  DatabaseError,
  type DatabaseErrorKind,
  DatabaseUnavailableError,
} from "../database-errors.ts";

const BUSY = 5;
const LOCKED = 6;
const READ_ONLY = 8;
const primary = (code: number): number => code & 0xff;

/** Extended result codes (sqlite.org/rescode.html) by kind of error. */
const kinds: Readonly<Record<number, DatabaseErrorKind>> = {
  2067: "unique",
  1555: "unique",
  2579: "unique",
  787: "foreign-key",
  1299: "not-null",
  275: "check",
  517: "serialization",
  1: "syntax",
};

/** Code of `RAISE` in a trigger, and of a foreign key with RESTRICT, which SQLite implements by a trigger. */
const TRIGGER = 1811;
const FOREIGN_KEY = /^FOREIGN KEY constraint failed/;

const FULL = 13;
const IO_ERROR = 10;
const CANNOT_OPEN = 14;

/** Returns the result code of a SQLite error; `null` for other errors. */
export const sqliteCode = (error: unknown): number | null =>
  Error.isError(error) && (error as { code?: unknown }).code === "ERR_SQLITE_ERROR"
    ? Number((error as { errcode?: unknown }).errcode)
    : null;

/** Whether another connection holds the lock; the statement had no effect and may be retried. */
export const isBusy = (error: unknown): boolean => {
  const code = sqliteCode(error);
  return code !== null && (primary(code) === BUSY || primary(code) === LOCKED) && code !== 517;
};

/** Whether a read-only connection rejected a write. */
export const isReadOnly = (error: unknown): boolean => {
  const code = sqliteCode(error);
  return code !== null && primary(code) === READ_ONLY;
};

/** Converts an error of `node:sqlite` to a `DatabaseError` or `DatabaseUnavailableError`; returns other errors unchanged. */
export const sqliteError = (error: unknown, text: string): unknown => {
  const code = sqliteCode(error);
  const message = messageOf(error);
  if (code === null) {
    return Error.isError(error) && (error as { code?: unknown }).code === "ERR_INVALID_STATE"
      ? databaseClosed(error)
      : error;
  }
  if ([FULL, IO_ERROR, CANNOT_OPEN, BUSY].includes(primary(code)) && kinds[code] === undefined) {
    return new DatabaseUnavailableError(message, { cause: error });
  }
  const kind = kinds[code] ?? (code === TRIGGER && FOREIGN_KEY.test(message) ? "foreign-key" : "other");
  const constraint = /constraint failed: (.+)$/.exec(message)?.[1] ?? null;
  const cause = new Error(`${message}, in: ${text}`, { cause: error });
  return new DatabaseError(kind, message, { sqlCode: String(code), constraint, cause });
};
