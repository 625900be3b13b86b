import { stringEnd } from "../documents/json-string.ts";

const QUOTE = 0x22;
const COLON = 0x3a;
const SPACE = 0x20;

const queryName = Buffer.from('"query"');

/**
 * Finds the member `query` of an unparsed JSON object. Returns the index after the opening quote of its value, or -1 if there is none, its name has escapes, or
 * its value is not a string. If it is repeated, returns the first with a string value. Other strings are only scanned for their end, which is ten times as
 * fast as parsing.
 */
export const queryIn = (json: Uint8Array): number => {
  let at = afterBlanks(json, 0);
  if (json[at] !== 0x7b) return -1;
  let depth = 0;
  for (; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) {
      const isName = depth === 1 && isAt(json, at, queryName);
      at = stringEnd(json, at + 1);
      if (isName) {
        const value = valueAfter(json, at + 1);
        if (value !== -1) return value;
      }
    } else if (byte === 0x5b || byte === 0x7b) depth++;
    else if ((byte === 0x5d || byte === 0x7d) && --depth === 0) return -1;
  }
  return -1;
};

/** Returns the index of the first character of the string value after a name and its colon; -1 for other values. */
const valueAfter = (json: Uint8Array, from: number): number => {
  const colon = afterBlanks(json, from);
  if (json[colon] !== COLON) return -1;
  const value = afterBlanks(json, colon + 1);
  return json[value] === QUOTE ? value + 1 : -1;
};

const afterBlanks = (json: Uint8Array, from: number): number => {
  let at = from;
  while (at < json.length && (json[at] as number) <= SPACE) at++;
  return at;
};

const isAt = (json: Uint8Array, at: number, part: Uint8Array): boolean => {
  for (let index = 0; index < part.length; index++) if (json[at + index] !== part[index]) return false;
  return true;
};
