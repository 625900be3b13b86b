/** What a pass over JSON bytes finds that the parser does not report. */
export interface JsonScan {
  readonly tooDeep: boolean;
  /** Whether some number may be too large for a double; `overflowAt` makes sure. */
  readonly mayOverflow: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;

/**
 * Looks over JSON bytes once, without recursion, at about the speed of memory.
 *
 * What it says of malformed input means nothing: the parser refuses that.
 */
export const scanJson = (bytes: Uint8Array, maxDepth: number): JsonScan => {
  const { length } = bytes;
  let depth = 0;
  let exponent = false;
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
        if (++depth > maxDepth) return { tooDeep: true, mayOverflow: false };
      } else if (byte === 0x5d || byte === 0x7d) depth--;
      else if ((byte | 0x20) === 0x65) exponent ||= isLargeExponent(bytes, at);
    }
  }
  return { tooDeep: false, mayOverflow: exponent || hasLongNumber(bytes) };
};

/** Whether a byte is an ASCII digit; no byte is none. */
export const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** Whether the `e` stands behind a digit and may have three digits behind it. */
const isLargeExponent = (bytes: Uint8Array, at: number): boolean =>
  isDigit(bytes[at - 1]) && bytes[at + 1] !== MINUS && isDigit(bytes[at + 3]);

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
