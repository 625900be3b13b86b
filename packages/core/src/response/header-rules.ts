import { FrameworkError } from "../errors/framework-error.ts";
import { isToken } from "../http/token.ts";

/**
 * Cache of the lower-case spellings of checked names; bounded, because programs can build names from input. Shared by all apps of a process, like the values
 * below: an entry depends only on its key, and while the map is full, new names are checked on each use.
 */
const lowerNames = new Map<string, string>();
const MAX_LOWER_NAMES = 500;
const MAX_NAME_LENGTH = 64;

/** Returns the lower-case spelling for a lookup. A text that is not a field name is lower-cased as well, and matches nothing. */
export const lowerName = (name: string): string =>
  lowerNames.get(name) ?? (isToken(name) ? newName(name) : name.toLowerCase());

/** Returns the lower-case spelling of a field name. @throws CORE_BAD_HEADER when it is not a token (RFC 9110 5.1) */
export const headerName = (name: string): string => lowerNames.get(name) ?? newName(name);

const newName = (name: string): string => {
  if (typeof name !== "string" || !isToken(name)) {
    throw new FrameworkError(
      "CORE_BAD_HEADER",
      `${quote(name)} is not a header name: use letters, digits and -`,
    );
  }
  const lower = name.toLowerCase();
  if (lowerNames.size < MAX_LOWER_NAMES && name.length <= MAX_NAME_LENGTH) lowerNames.set(name, lower);
  return lower;
};

const quote = (name: unknown): string =>
  typeof name === "string" ? JSON.stringify(name.slice(0, 40)) : `A ${typeof name}`;

/**
 * Returns a field value as it is sent: trimmed, and without characters that could end the line (RFC 9110 5.5).
 *
 * Numbers, bigints and booleans become text. The error names the position and the character, never the value, which may be a secret.
 *
 * @throws CORE_BAD_HEADER for an ASCII control character other than a tab, a character above U+00FF, and a value of another type
 */
export const headerValue = (name: string, value: string): string => {
  const last = lastValues.get(name);
  if (last !== undefined && last.value === value) return value;
  const text = typeof value === "string" ? value : asText(name, value);
  if (FORBIDDEN.test(text)) throw badCharacter(name, text);
  if (isBlank(text.charCodeAt(0)) || isBlank(text.charCodeAt(text.length - 1))) return trimBlanks(text);
  if (text.length > MAX_VALUE_LENGTH) return text;
  if (last !== undefined) last.value = text;
  else if (lastValues.size < MAX_LAST_VALUES) lastValues.set(name, { value: text });
  return text;
};

/**
 * Cache of the last checked value of each name: most fields have the same value in every reply, and a value is checked when it is set and again when it is
 * written. At most 100 names with values of up to 256 characters.
 */
const lastValues = new Map<string, { value: string }>();
const MAX_LAST_VALUES = 100;
const MAX_VALUE_LENGTH = 256;

const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/;

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09;

const trimBlanks = (text: string): string => {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
};

const asText = (name: string, value: unknown): string => {
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return String(value);
  const what = value === null ? "null" : typeof value;
  throw new FrameworkError(
    "CORE_BAD_HEADER",
    `the value of the header ${name} must be a string, but is ${what}`,
  );
};

const badCharacter = (name: string, text: string): FrameworkError => {
  const index = text.search(FORBIDDEN);
  const unit = text.charCodeAt(index);
  const code = `U+${unit.toString(16).toUpperCase().padStart(4, "0")}`;
  const rule =
    unit > 0xff ? "encode it, for example with encodeURIComponent" : "control characters are not allowed";
  return new FrameworkError(
    "CORE_BAD_HEADER",
    `the value of the header ${name} holds ${code} at position ${index}: ${rule}`,
  );
};
