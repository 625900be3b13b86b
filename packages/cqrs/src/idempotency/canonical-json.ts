import { ValueError } from "@framework/core";

/**
 * Returns the text of a value as `JSON.stringify` does, with the members of objects sorted by name, so that equal values have equal texts. A `bigint` becomes
 * its digits.
 *
 * @throws ValueError 400 for a value that is nested too deeply for the stack, such as a cycle
 */
export const canonicalJson = (value: unknown): string => {
  try {
    return JSON.stringify(value, sorted) ?? "undefined";
  } catch (error) {
    throw error instanceof RangeError
      ? new ValueError("The input is nested too deeply", { cause: error })
      : error;
  }
};

const sorted = (_name: string, value: unknown): unknown => {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const names = Object.keys(value).toSorted();
  const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown>; // `__proto__` is a name like any other
  for (const name of names) copy[name] = (value as Record<string, unknown>)[name];
  return copy;
};
