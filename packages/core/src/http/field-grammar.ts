import { isToken } from "./token.ts";

// Each character can match in one way only, so a mismatch takes linear time.
const QUOTED = /^"(?:[^"\\\p{Cc}]|\t|\\(?:\t|\P{Cc}))*"$/u;

/** Removes optional white space, blanks and tabs only, from both ends (RFC 9110 5.6.3). */
export const trimBlanks = (text: string): string => {
  let start = 0;
  while (isBlank(text.charCodeAt(start))) start++;
  return trimBlanksEnd(text.slice(start));
};

/** Removes optional white space from the end only. */
export const trimBlanksEnd = (text: string): string => {
  let end = text.length;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
};

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09;

/** Splits a field's value at each separator outside quoted strings; blanks around the parts are kept. */
export const splitOutsideQuotes = (text: string, separator: string): string[] => {
  if (!text.includes('"')) return text.split(separator);
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text[at];
    if (quoted && unit === "\\") at++;
    else if (unit === '"') quoted = !quoted;
    else if (!quoted && unit === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
};

/** Parses `name=token` or `name="quoted string"` to the name in lower case and the value (RFC 9110 5.6.6); `null` for any other text. */
export const parseParameter = (text: string): readonly [name: string, value: string] | null => {
  const equals = text.indexOf("=");
  const name = text.slice(0, Math.max(equals, 0));
  const value = text.slice(equals + 1);
  if (!isToken(name)) return null;
  if (isToken(value)) return [name.toLowerCase(), value];
  return QUOTED.test(value) ? [name.toLowerCase(), value.slice(1, -1).replaceAll(/\\(.)/gu, "$1")] : null;
};
