const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Number of bytes that are read one by one before `indexOf` is used, which is slower for short strings. */
const NEAR = 32;

/** Returns the index of the quote that ends a string, or the length of the JSON. */
export const stringEnd = (json: Uint8Array, from: number): number => {
  const { length } = json;
  let near = from + NEAR;
  for (let at = from; at < length; at++) {
    const byte = json[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
    else if (at >= near) {
      const quote = json.indexOf(QUOTE, at);
      if (quote === -1) return length;
      if (!isEscaped(json, quote, at)) return quote;
      at = quote;
      near = at + NEAR;
    }
  }
  return length;
};

/** Whether an odd number of backslashes precedes an index. @param from index of a character that is not escaped */
const isEscaped = (json: Uint8Array, index: number, from: number): boolean => {
  let slashes = 0;
  while (index - slashes > from && json[index - slashes - 1] === BACKSLASH) slashes++;
  return slashes % 2 === 1;
};

/**
 * Whether an unparsed JSON string has more than `max` characters: 20 times as fast as parsing. `false` for a string with escapes, which the parser must measure.
 *
 * @param from index after the opening quote of the string
 */
export const isLonger = (json: Uint8Array, from: number, max: number): boolean => {
  if (json.length - from <= max) return false;
  const quote = json.indexOf(QUOTE, from);
  const end = quote === -1 ? json.length : quote;
  const escape = json.indexOf(BACKSLASH, from);
  if (end - from <= max || (escape !== -1 && escape < end)) return false;
  return Buffer.from(json.buffer, json.byteOffset + from, end - from).toString().length > max;
};
