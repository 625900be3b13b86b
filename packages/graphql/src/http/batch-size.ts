import { stringEnd } from "../documents/json-string.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const SPACE = 0x20;

const isOpening = (byte: number | undefined): boolean => byte === 0x5b || byte === 0x7b;
const isClosing = (byte: number | undefined): boolean => byte === 0x5d || byte === 0x7d;

/**
 * Whether a JSON text is an array with more than `max` items; an empty array counts as one item. Does not parse it, and reads only the first `max` items. The
 * result for invalid JSON is unspecified.
 */
export const hasMoreItems = (json: Uint8Array, max: number): boolean => {
  let at = 0;
  while (at < json.length && (json[at] as number) <= SPACE) at++;
  if (json[at] !== 0x5b) return false;
  let items = 1;
  let depth = 0;
  for (; items <= max && at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = stringEnd(json, at + 1);
    else if (isOpening(byte)) depth++;
    else if (isClosing(byte) && --depth === 0) return false;
    else if (byte === COMMA && depth === 1) items++;
  }
  return items > max;
};
