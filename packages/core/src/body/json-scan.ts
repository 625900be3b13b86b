const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether arrays and objects stand inside each other on more levels than that: one pass without recursion, at about the speed of memory.
 *
 * What it says of malformed input means nothing: the parser refuses that.
 */
export const isDeeperThan = (bytes: Uint8Array, maxDepth: number): boolean => {
  const { length } = bytes;
  let depth = 0;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      for (at++; at < length; at++) {
        const inside = bytes[at]; // written out here because a call for each string takes twice the time
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

/** Whether some number in JSON may be too large for a double; `overflowAt` makes sure. */
export const mayOverflow = (bytes: Uint8Array, text: string): boolean =>
  LARGE_EXPONENT.test(text) || hasLongNumber(bytes);

/** Whether a byte is an ASCII digit; no byte is none. */
export const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x30 && byte <= 0x39;

// May stand in a string too: then the closer look finds nothing.
const LARGE_EXPONENT = /\d[eE]\+?\d{3}/;

// With an exponent of two digits at most, a number overflows from 210 digits on; that many cover a multiple of this.
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
