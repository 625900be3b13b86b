const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Result of one pass over a body; meaningless for malformed input, which the parser rejects. */
export interface JsonScan {
  /** Whether arrays and objects are nested deeper than allowed. */
  readonly isTooDeep: boolean;
  /** Whether a number has an exponent. */
  readonly hasExponent: boolean;
}

const tooDeep: JsonScan = { isTooDeep: true, hasExponent: false };

/** Bytes of a string that are checked one by one; after that, `indexOf` costs less. */
const NEAR = 64;

/** Scans a body in one pass, without recursion; in a long string it searches only for the end. */
export const scanJson = (bytes: Uint8Array, maxDepth: number): JsonScan => {
  const { length } = bytes;
  let depth = 0;
  let hasExponent = false;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      const far = at + NEAR;
      for (at++; at < length; at++) {
        const inside = bytes[at]; // inlined, to avoid a call for each string
        if (inside === QUOTE) break;
        if (inside === BACKSLASH) at++;
        if (at < far) continue;
        at = longStringEnd(bytes, at + 1);
        break;
      }
    } else if (byte > 0x40) {
      if (byte === 0x5b || byte === 0x7b) {
        if (++depth > maxDepth) return tooDeep;
      } else if (byte === 0x5d || byte === 0x7d) depth--;
      else if ((byte === 0x65 || byte === 0x45) && isDigit(bytes[at - 1])) hasExponent = true;
    }
  }
  return { isTooDeep: false, hasExponent };
};

/**
 * Returns the index of the quote that ends a string, or the length. After an escaped quote the next bytes are checked one by one, because an `indexOf` per
 * quote would cost more.
 */
const longStringEnd = (bytes: Uint8Array, from: number): number => {
  const { length } = bytes;
  for (let at = from; at < length; at++) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) return length;
    let slashes = 0;
    while (quote - slashes > at && bytes[quote - slashes - 1] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote;
    const far = quote + NEAR;
    for (at = quote + 1; at < length; at++) {
      if (bytes[at] === QUOTE) return at;
      if (bytes[at] === BACKSLASH) at++;
      if (at >= far) break;
    }
  }
  return length;
};

/** Whether arrays and objects are nested deeper than `maxDepth`. */
export const isDeeperThan = (bytes: Uint8Array, maxDepth: number): boolean =>
  scanJson(bytes, maxDepth).isTooDeep;

/** Whether a number in valid JSON may overflow a double; `overflowAt` decides. @param hasExponent whether a number may have an exponent */
export const mayOverflow = (bytes: Uint8Array, text: string, hasExponent: boolean): boolean =>
  (hasExponent && LARGE_EXPONENT.test(text)) || hasLongNumber(bytes);

/** Whether a byte is an ASCII digit; `undefined` is not. */
export const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x30 && byte <= 0x39;

// Includes the character after the number, so strings of hexadecimal digits seldom match. A match in a string is harmless: `overflowAt` finds nothing.
const LARGE_EXPONENT = /\d[eE]\+?\d{3,}(?:[,\]}\s]|$)/;

// With an exponent of at most two digits a number overflows from 210 digits on; such a run covers a multiple of the stride.
const STRIDE = 200;

const hasLongNumber = (bytes: Uint8Array): boolean => {
  for (let at = 0; at < bytes.length; at += STRIDE) {
    if (!isDigit(bytes[at])) continue;
    let start = at;
    let end = at;
    while (isDigit(bytes[start - 1])) start--;
    while (isDigit(bytes[end])) end++;
    if (end - start >= STRIDE) return true;
  }
  return false;
};
