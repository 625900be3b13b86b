/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * Describes the first part of a value that JSON would change, such as `data.at is a Date`; `null` if JSON represents the value unchanged.
 *
 * Members that are `undefined` are allowed: JSON omits them, and reading them gives `undefined` again. -0 becomes 0.
 */
export const jsonProblem = (value: unknown, path: string): string | null => {
  const problem = problemOf(value, 0);
  return problem === null ? null : `${path}${problem}`;
};

const MAX_DEPTH = 100;

/** Returns the rest of the message, after the name of the value. Builds the path only for a problem, because this runs for every event. */
const problemOf = (value: unknown, depth: number): string | null => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return null;
    case "number":
      return Number.isFinite(value) ? null : ` is ${value}`;
    case "object":
      return value === null ? null : objectProblem(value, depth);
    default:
      return value === undefined ? " is undefined" : ` is a ${typeof value}`;
  }
};

const objectProblem = (value: object, depth: number): string | null => {
  if (depth >= MAX_DEPTH) return ` is nested deeper than ${MAX_DEPTH} levels`;
  if (Array.isArray(value)) return arrayProblem(value, depth);
  if (!isPlain(value)) return ` is a ${value.constructor?.name ?? "object with a prototype"}`;
  if ("toJSON" in value) return " has a member toJSON";
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    const problem = member === undefined ? null : problemOf(member, depth + 1);
    if (problem !== null) return `.${name}${problem}`;
  }
  return null;
};

const arrayProblem = (values: readonly unknown[], depth: number): string | null => {
  for (let at = 0; at < values.length; at++) {
    const problem = problemOf(values[at], depth + 1);
    if (problem !== null) return `[${at}]${problem}`;
  }
  return null;
};

/** Accepts plain objects of any realm: schemas and tests may create them in another one. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
};
