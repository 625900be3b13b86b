import type { AttributeValue, Attributes } from "@opentelemetry/api";
import { MAX_ATTRIBUTE } from "../redaction/redact.ts";

/** Maximum number of attributes of a span or an event, and of events and links of a span: the SDK's limits. */
export const MAX_ITEMS = 128;

/** Whether a value can be exported; untyped callers may pass functions and symbols. */
export const isValue = (value: unknown): value is AttributeValue =>
  value !== null && value !== undefined && typeof value !== "function" && typeof value !== "symbol";

/** Maximum nesting of lists and maps; deeper values are omitted. */
const MAX_DEPTH = 8;

/** Returns a value with its strings truncated to `MAX_ATTRIBUTE`. */
export const truncateValue = (value: unknown, depth = 0): AttributeValue => {
  if (typeof value === "string") return value.slice(0, MAX_ATTRIBUTE);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array)
    return value as AttributeValue;
  if (depth === MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((each) => truncateValue(each, depth + 1));
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(entries.map(([name, each]) => [name, truncateValue(each, depth + 1)]));
};

/** Returns the first `MAX_ITEMS` attributes, with their values truncated. */
export const truncateValues = (attributes: Attributes): Attributes => {
  const truncated: Attributes = {};
  for (const [name, value] of Object.entries(attributes).slice(0, MAX_ITEMS))
    if (isValue(value)) truncated[name] = truncateValue(value);
  return truncated;
};
