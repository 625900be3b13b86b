import {
  type Baggage,
  baggageEntryMetadataFromString,
  type BaggageEntry,
  propagation,
} from "@opentelemetry/api";

/** Maximum number of members of baggage that are read or sent. */
export const MAX_BAGGAGE_MEMBERS = 64;
/** Maximum size in bytes of a `baggage` field that is read or sent. */
export const MAX_BAGGAGE_BYTES = 8192;

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const ENCODED = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/** Parses a `baggage` field (W3C Baggage); invalid members, and members beyond the limits, are omitted. `null` if none remain. */
export const parseBaggage = (field: string): Baggage | null => {
  const entries: Record<string, BaggageEntry> = Object.create(null) as Record<string, BaggageEntry>;
  let count = 0;
  for (const part of withinBound(field).split(",", MAX_BAGGAGE_MEMBERS)) {
    const [pair = "", ...properties] = part.split(";");
    const at = pair.indexOf("=");
    const [key, raw] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    const value = at > 0 && TOKEN.test(key) && ENCODED.test(raw) ? decode(raw) : null;
    if (value === null) continue;
    count++;
    entries[key] =
      properties.length === 0
        ? { value }
        : { value, metadata: baggageEntryMetadataFromString(properties.join(";").trim()) };
  }
  return count === 0 ? null : propagation.createBaggage(entries);
};

/** Truncates a field that is too long after its last complete member, because part of a value would be another value. */
const withinBound = (field: string): string =>
  field.length <= MAX_BAGGAGE_BYTES
    ? field
    : field.slice(0, Math.max(0, field.lastIndexOf(",", MAX_BAGGAGE_BYTES)));

/** Formats the members with these keys as a `baggage` field; returns "" if there are none. @param keys `null` for every member */
export const formatBaggage = (baggage: Baggage, keys: ReadonlySet<string> | null): string => {
  let field = "";
  let count = 0;
  for (const [key, { value, metadata }] of baggage.getAllEntries()) {
    if ((keys !== null && !keys.has(key)) || !TOKEN.test(key)) continue;
    const properties = metadata === undefined ? "" : `;${metadata.toString()}`;
    const member = `${key}=${encodeURIComponent(value.toWellFormed())}${isVisible(properties) ? properties : ""}`;
    const longer = count === 0 ? member : `${field},${member}`;
    if (count === MAX_BAGGAGE_MEMBERS || longer.length > MAX_BAGGAGE_BYTES) break;
    field = longer;
    count++;
  }
  return field;
};

const decode = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null; // a malformed escape makes the member invalid
  }
};

const isVisible = (text: string): boolean => /^[\x20-\x2b\x2d-\x7e]*$/.test(text);
