import type { SQLInputValue } from "node:sqlite";
import { FrameworkError } from "@framework/core";
import { isDate, type SqlValue } from "../sql-value.ts";

/** Converts values for `node:sqlite`; returns the same list when nothing needs converting. */
export const toParameters = (values: readonly SqlValue[]): readonly SQLInputValue[] => {
  for (let at = 0; at < values.length; at++) if (!isParameter(values[at])) return values.map(toParameter);
  return values as readonly SQLInputValue[];
};

const isParameter = (value: SqlValue | undefined): boolean =>
  typeof value === "object" ? value === null : typeof value !== "boolean";

const toParameter = (value: SqlValue): SQLInputValue => {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "object" || value === null) return value;
  if (isDate(value)) return value.toISOString();
  if (Array.isArray(value)) {
    throw new FrameworkError("DATABASE_BAD_VALUE", "SQLite has no lists; use `IN (${sql.list(values)})`");
  }
  return value as Uint8Array;
};
