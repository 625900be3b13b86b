/** A value of JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * Returns the first part of a value that JSON would change, such as `data.at is a Date`; `null` when it stays the same.
 *
 * Members that are `undefined` are allowed: JSON leaves them out, and reading them gives the same.
 */
export const jsonProblem = (value: unknown, place: string, depth = 0): string | null => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return null;
    case "number":
      return Number.isFinite(value) ? null : `${place} is ${value}`;
    case "object":
      return value === null ? null : objectProblem(value, place, depth);
    default:
      return `${place} is ${typeof value}`;
  }
};

const MAX_DEPTH = 100;

const objectProblem = (value: object, place: string, depth: number): string | null => {
  if (depth >= MAX_DEPTH) return `${place} is nested deeper than ${MAX_DEPTH} levels`;
  if (Array.isArray(value)) return arrayProblem(value, place, depth);
  if (!isPlain(value)) return `${place} is a ${value.constructor?.name ?? "object with a prototype"}`;
  if ("toJSON" in value) return `${place} has a member toJSON`;
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    const problem = member === undefined ? null : jsonProblem(member, `${place}.${name}`, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
};

const arrayProblem = (values: readonly unknown[], place: string, depth: number): string | null => {
  for (let at = 0; at < values.length; at++) {
    const problem = jsonProblem(values[at], `${place}[${at}]`, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
};

/** Objects of any realm: schemas and tests may create them elsewhere. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
};
