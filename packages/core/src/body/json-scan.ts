const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether arrays and objects are nested deeper than `maxDepth`: one pass, without recursion.
 *
 * The result is meaningless for malformed input, which the parser refuses.
 */
export const isDeeperThan = (bytes: Uint8Array, maxDepth: number): boolean => {
  const { length } = bytes;
  let depth = 0;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      for (at++; at < length; at++) {
        const inside = bytes[at]; // inlined: a call for each string takes twice the time
        if (inside === QUOTE) break;
        if (inside === BACKSLASH) at++;
      }
    } else if (byte > 0x40) {
      if (byte === 0x5b || byte === 0x7b) {
        if (++depth > maxDepth) return true;
      } else if (byte === 0x5d || byte === 0x7d) depth--;
    }
  }
  return false;
};

/** Whether a number in valid JSON may overflow a double; `overflowAt` decides. */
export const mayOverflow = (bytes: Uint8Array, text: string): boolean =>
  LARGE_EXPONENT.test(text) || hasLongNumber(bytes);

/** Whether a byte is an ASCII digit; `undefined` is not. */
export const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x30 && byte <= 0x39;

// With what follows a number. May match in a string, seldom in one of hexadecimal digits: `overflowAt` then finds nothing.
const LARGE_EXPONENT = /\d[eE]\+?\d{3,}(?:[,\]}\s]|$)/;

// With an exponent of at most two digits a number overflows from 210 digits on; so many digits cover a multiple of the stride.
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
