import type { AttributeValue, Attributes } from "@opentelemetry/api";
import { MAX_ATTRIBUTE } from "../redaction/redact.ts";

/** Most attributes of a span or of an event, most events and most links: the SDK's limits. */
export const MOST = 128;

/** Callers without types pass anything; functions and symbols cannot be exported. */
export const isValue = (value: unknown): value is AttributeValue =>
  value !== null && value !== undefined && typeof value !== "function" && typeof value !== "symbol";

/** Lists and maps within each other that are exported; deeper ones are left out. */
const DEEPEST = 8;

/** Returns a value with its texts cut to the most characters of an attribute. */
export const cutValue = (value: unknown, depth = 0): AttributeValue => {
  if (typeof value === "string") return value.slice(0, MAX_ATTRIBUTE);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array)
    return value as AttributeValue;
  if (depth === DEEPEST) return null;
  if (Array.isArray(value)) return value.slice(0, MOST).map((each) => cutValue(each, depth + 1));
  const entries = Object.entries(value).slice(0, MOST);
  return Object.fromEntries(entries.map(([name, each]) => [name, cutValue(each, depth + 1)]));
};

/** Returns the first attributes, with their values cut. */
export const cutValues = (attributes: Attributes): Attributes => {
  const kept: Attributes = {};
  for (const [name, value] of Object.entries(attributes).slice(0, MOST))
    if (isValue(value)) kept[name] = cutValue(value);
  return kept;
};
