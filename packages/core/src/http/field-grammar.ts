import { isToken } from "./token.ts";

// Each character has one way to match, so that a failure is found in linear time.
const QUOTED = /^"(?:[^"\\\p{Cc}]|\t|\\(?:\t|\P{Cc}))*"$/u;

/** Takes optional white space, blanks and tabs only, off both ends (RFC 9110 5.6.3). */
export const trimBlanks = (text: string): string => {
  let start = 0;
  while (isBlank(text.charCodeAt(start))) start++;
  return trimBlanksEnd(text.slice(start));
};

/** Takes optional white space off the end only. */
export const trimBlanksEnd = (text: string): string => {
  let end = text.length;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
};

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09;

/** Splits a field's value at a separator that stands outside quoted strings; blanks around the pieces are kept. */
export const splitOutsideQuotes = (text: string, separator: string): string[] => {
  if (!text.includes('"')) return text.split(separator);
  const pieces: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text[at];
    if (quoted && unit === "\\") at++;
    else if (unit === '"') quoted = !quoted;
    else if (!quoted && unit === separator) {
      pieces.push(text.slice(start, at));
      start = at + 1;
    }
  }
  pieces.push(text.slice(start));
  return pieces;
};

/** Name in lower case and value of `name=token` or `name="quoted string"` (RFC 9110 5.6.6); `null` when it is neither. */
export const parseParameter = (text: string): readonly [name: string, value: string] | null => {
  const equals = text.indexOf("=");
  const name = text.slice(0, Math.max(equals, 0));
  const value = text.slice(equals + 1);
  if (!isToken(name)) return null;
  if (isToken(value)) return [name.toLowerCase(), value];
  return QUOTED.test(value) ? [name.toLowerCase(), value.slice(1, -1).replaceAll(/\\(.)/gu, "$1")] : null;
};
