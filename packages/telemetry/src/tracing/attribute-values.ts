import type { AttributeValue, Attributes } from "@opentelemetry/api";
import { MAX_ATTRIBUTE } from "../redaction/redact.ts";

/** Maximum number of attributes of a span or an event, and of events and links of a span: the SDK's limits. */
export const MAX_ITEMS = 128;

/** Whether a value can be exported; untyped callers may pass functions and symbols. */
export const isValue = (value: unknown): value is AttributeValue =>
  value !== null && value !== undefined && typeof value !== "function" && typeof value !== "symbol";

/** Maximum nesting of lists and maps; deeper values are omitted. */
const MAX_DEPTH = 8;
/** Maximum number of members of a list or map, and of all lists and maps in it; further members are omitted. An object with references to itself has any number. */
const MAX_MEMBERS = 1024;

/** Returns a value with its strings and bytes truncated to `MAX_ATTRIBUTE`, and its lists and maps to the limits. */
export const truncateValue = (value: unknown): AttributeValue => {
  if (typeof value === "string") return value.slice(0, MAX_ATTRIBUTE);
  if (typeof value !== "object" || value === null) return value as AttributeValue;
  return truncateObject(value, 0, { left: MAX_MEMBERS });
};

interface Budget {
  left: number;
}

const truncateObject = (value: object, depth: number, budget: Budget): AttributeValue => {
  if (value instanceof Uint8Array)
    return value.length <= MAX_ATTRIBUTE ? value : value.slice(0, MAX_ATTRIBUTE);
  if (depth === MAX_DEPTH) return null;
  const member = (each: unknown): AttributeValue =>
    typeof each === "object" && each !== null ? truncateObject(each, depth + 1, budget) : truncateValue(each);
  if (Array.isArray(value)) return takeWithin(value, budget).map(member);
  const names = takeWithin(Object.keys(value), budget);
  return Object.fromEntries(
    names.map((name) => [name, member((value as Readonly<Record<string, unknown>>)[name])]),
  );
};

/** Returns the first members that a list or map may have. */
const takeWithin = <T>(members: readonly T[], budget: Budget): readonly T[] => {
  const taken = members.slice(0, Math.min(MAX_ITEMS, budget.left));
  budget.left -= taken.length;
  return taken;
};

/** Returns the first `MAX_ITEMS` attributes, with their values truncated. */
export const truncateValues = (attributes: Attributes): Attributes => {
  const truncated: Attributes = {};
  for (const [name, value] of Object.entries(attributes).slice(0, MAX_ITEMS))
    if (isValue(value)) truncated[name] = truncateValue(value);
  return truncated;
};
