import { FrameworkError } from "../errors/framework-error.ts";
import { isToken } from "../http/token.ts";

/** Lower-case spelling of every name seen so far; bounded, since a program may make names from input. */
const lowerNames = new Map<string, string>();
const maxLowerNames = 500;
const maxRememberedLength = 64;

/** The lower-case spelling of what may be no field name, for looking it up: nothing is found by what is none. */
export const lowerName = (name: string): string =>
  lowerNames.get(name) ?? (isToken(name) ? newName(name) : name.toLowerCase());

/** The lower-case spelling of a field name. @throws CORE_BAD_HEADER when it is not a token (RFC 9110 5.1) */
export const headerName = (name: string): string => lowerNames.get(name) ?? newName(name);

const newName = (name: string): string => {
  if (typeof name !== "string" || !isToken(name)) {
    throw new FrameworkError(
      "CORE_BAD_HEADER",
      `${quoted(name)} is not a header name: use letters, digits and -`,
    );
  }
  const lower = name.toLowerCase();
  if (lowerNames.size < maxLowerNames && name.length <= maxRememberedLength) lowerNames.set(name, lower);
  return lower;
};

const quoted = (name: unknown): string =>
  typeof name === "string" ? JSON.stringify(name.slice(0, 40)) : `A ${typeof name}`;

/**
 * A field value as it goes on the wire: without the blanks around it, and free of what could end the line (RFC 9110 5.5).
 *
 * Numbers and other primitives become text. The error names the place and the character, never the value, which may be a secret.
 *
 * @throws CORE_BAD_HEADER for a control character other than a tab, and for a character above U+00FF
 */
export const headerValue = (name: string, value: string): string => {
  const last = lastValues.get(name);
  if (last !== undefined && last.value === value) return value;
  const text = typeof value === "string" ? value : asText(name, value);
  if (forbidden.test(text)) throw badCharacter(name, text);
  if (isBlank(text.charCodeAt(0)) || isBlank(text.charCodeAt(text.length - 1))) return trimmed(text);
  if (text.length > maxRememberedValue) return text;
  if (last !== undefined) last.value = text;
  else if (lastValues.size < maxLastValues) lastValues.set(name, { value: text });
  return text;
};

/**
 * The value last found in order for a name: most fields say the same in every reply, and what was looked at when it was set is looked at
 * again when it is written. Bounded, since a program may make names from input.
 */
const lastValues = new Map<string, { value: string }>();
const maxLastValues = 100;
const maxRememberedValue = 256;

const forbidden = /[^\t\x20-\x7e\x80-\xff]/;

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09;

const trimmed = (text: string): string => {
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
  const index = text.search(forbidden);
  const unit = text.charCodeAt(index);
  const code = `U+${unit.toString(16).toUpperCase().padStart(4, "0")}`;
  const rule =
    unit > 0xff ? "encode it, for example with encodeURIComponent" : "control characters are not allowed";
  return new FrameworkError(
    "CORE_BAD_HEADER",
    `the value of the header ${name} holds ${code} at position ${index}: ${rule}`,
  );
};
