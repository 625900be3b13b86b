import { ValueError } from "@framework/core";
import { storedJson } from "../definitions/stored-json.ts";

/**
 * Serialises a value like `JSON.stringify`, but with the members of objects sorted by name, so that equal values give equal strings.
 *
 * @param subject the start of the message, such as `the input of command Pay`
 * @throws ValueError 400 for a value that is nested too deeply for the stack, such as a cycle; CQRS_BAD_INPUT for a value that JSON cannot represent, because
 * different values would give equal strings
 */
export const canonicalJson = (value: unknown, subject: string): string => {
  if (value === undefined) return "undefined";
  try {
    const text = JSON.stringify(value, sortMembers);
    storedJson(subject, value, "CQRS_BAD_INPUT");
    return text;
  } catch (error) {
    throw error instanceof RangeError
      ? new ValueError("The input is nested too deeply", { cause: error })
      : error;
  }
};

const sortMembers = (_name: string, value: unknown): unknown => {
  if (typeof value === "bigint") return null; // `storedJson` refuses it, with its path
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Array.from(value); // a copy, as for objects, so that a cycle ends in a RangeError rather than a TypeError
  const names = Object.keys(value).toSorted();
  const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown>; // makes `__proto__` an ordinary name
  for (const name of names) copy[name] = (value as Record<string, unknown>)[name];
  return copy;
};
