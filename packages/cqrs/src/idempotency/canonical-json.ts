import { ValueError } from "@framework/core";
import { storedJson } from "../definitions/stored-json.ts";

/**
 * Returns the text of a value as `JSON.stringify` does, with the members of objects sorted by name, so that equal values have equal texts.
 *
 * @param what the start of the message, such as `the input of command Pay`
 * @throws ValueError 400 for a value that is nested too deeply for the stack, such as a cycle; CQRS_BAD_INPUT for one that JSON loses, because values that
 * differ would have equal texts
 */
export const canonicalJson = (value: unknown, what: string): string => {
  if (value === undefined) return "undefined";
  try {
    const text = JSON.stringify(value, sorted);
    storedJson(what, value, "CQRS_BAD_INPUT");
    return text;
  } catch (error) {
    throw error instanceof RangeError
      ? new ValueError("The input is nested too deeply", { cause: error })
      : error;
  }
};

const sorted = (_name: string, value: unknown): unknown => {
  if (typeof value === "bigint") return null; // refused afterwards, with its path
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const names = Object.keys(value).toSorted();
  const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown>; // `__proto__` is a name like any other
  for (const name of names) copy[name] = (value as Record<string, unknown>)[name];
  return copy;
};
