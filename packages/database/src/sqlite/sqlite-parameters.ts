import type { SQLInputValue } from "node:sqlite";
import { FrameworkError } from "@framework/core";
import { isDate, type SqlValue } from "../sql-value.ts";

/** Converts values for `node:sqlite`; returns the same list if none needs conversion. */
export const toParameters = (values: readonly SqlValue[]): readonly SQLInputValue[] => {
  for (let at = 0; at < values.length; at++) if (!isParameter(values[at])) return values.map(toParameter);
  return values as readonly SQLInputValue[];
};

const isParameter = (value: SqlValue | undefined): boolean => {
  if (typeof value === "number") return !isInteger(value);
  return typeof value === "object" ? value === null : typeof value !== "boolean";
};

/** Excludes `-0`, which would lose its sign as an integer. */
const isInteger = (value: number): boolean => Number.isSafeInteger(value) && !Object.is(value, -0);

/** `node:sqlite` binds every number as REAL, which becomes `5.0` in text and divides with a fraction; only a `bigint` is bound as an integer. */
const toParameter = (value: SqlValue): SQLInputValue => {
  if (typeof value === "number") return isInteger(value) ? BigInt(value) : value;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value !== "object" || value === null) return value;
  if (isDate(value)) return value.toISOString();
  if (Array.isArray(value)) {
    throw new FrameworkError("DATABASE_BAD_VALUE", "SQLite has no lists; use `IN (${sql.list(values)})`");
  }
  return value as Uint8Array;
};
