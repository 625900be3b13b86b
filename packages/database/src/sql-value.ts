import { FrameworkError } from "@framework/core";

/** A single value of a parameter. */
export type SqlScalar = string | number | bigint | boolean | null | Date | Uint8Array;
/** A parameter of a statement. Lists are for PostgreSQL only, such as for `= ANY(…)`. */
export type SqlValue = SqlScalar | readonly SqlScalar[];

/**
 * Rejects values that a database would misinterpret or cannot store.
 *
 * @throws DATABASE_BAD_VALUE for `undefined`, other objects than dates, bytes and lists, functions, symbols, NaN and infinities, integers of more than 64 bits,
 * invalid dates, and strings with NUL, which PostgreSQL cannot store
 */
export const checkValue = (value: unknown, index: number): void => {
  const problem = problemOf(value);
  if (problem !== null) throw new FrameworkError("DATABASE_BAD_VALUE", `parameter $${index} ${problem}`);
};

const problemOf = (value: unknown): string | null => {
  switch (typeof value) {
    case "string":
      return value.includes("\0") ? "contains a NUL character" : null;
    case "number":
      return Number.isFinite(value) ? null : `is ${value}; only finite numbers can be stored`;
    case "bigint":
      return value === BigInt.asIntN(64, value) ? null : "does not fit into 64 bits";
    case "boolean":
      return null;
    case "object":
      return objectProblem(value);
    default:
      return `is ${typeof value}; give null, text, a number, a boolean, a Date or bytes`;
  }
};

const objectProblem = (value: object | null): string | null => {
  if (value === null || value instanceof Uint8Array) return null;
  if (isDate(value)) return Number.isNaN(value.getTime()) ? "is an invalid Date" : null;
  if (Array.isArray(value))
    return Array.from(value, (each: unknown) => problemOf(each)).find((each) => each !== null) ?? null; // unlike map, also checks holes
  return "is an object; give its parts, or JSON.stringify(it)";
};

/** Whether a value is a `Date` of any realm. */
export const isDate = (value: unknown): value is Date =>
  Object.prototype.toString.call(value) === "[object Date]";
