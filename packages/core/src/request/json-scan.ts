/** What a pass over JSON bytes finds that the parser does not report. */
export interface JsonScan {
  /** Levels of arrays and objects inside each other; the pass stops at one above the limit. */
  readonly depth: number;
  /** Where the first number stands that overflows to infinity, in bytes, or `null`. */
  readonly hugeNumberAt: number | null;
  /** Whether an integer may be beyond 2^53. */
  readonly hasBigInteger: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const SHORT = 4; // `1e99` is the largest number that short

/** Looks over JSON bytes once, without recursion; what it says of malformed input means nothing, the parser refuses that. */
export const scanJson = (bytes: Uint8Array, maxDepth: number): JsonScan => {
  let open = 0;
  let depth = 0;
  let hugeNumberAt: number | null = null;
  let hasBigInteger = false;
  for (let at = 0; at < bytes.length && depth <= maxDepth; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === 0x5b || byte === 0x7b) {
      if (++open > depth) depth = open;
    } else if (byte === 0x5d || byte === 0x7d) open--;
    else if (isDigit(byte) || byte === MINUS) {
      const end = endOf(bytes, at, isNumberPart);
      if (end - at > SHORT) {
        const kind = kindOfNumber(bytes, at, end);
        if (kind === "huge") hugeNumberAt ??= at;
        hasBigInteger ||= kind === "big";
      }
      at = end - 1;
    }
  }
  return { depth, hugeNumberAt, hasBigInteger };
};

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

const endOfString = (bytes: Uint8Array, quote: number): number => {
  let at = quote + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
};

const isNumberPart = (byte: number): boolean =>
  isDigit(byte) || byte === POINT || isExponent(byte) || byte === MINUS || byte === PLUS;

const isExponent = (byte: number): boolean => (byte | 0x20) === 0x65;

const endOf = (bytes: Uint8Array, from: number, belongs: (byte: number) => boolean): number => {
  let at = from;
  while (at < bytes.length && belongs(bytes[at] ?? 0)) at++;
  return at;
};

/** Ten to the 308th has a double, so digits and exponent tell most numbers from an overflow; the few others are converted. */
const kindOfNumber = (bytes: Uint8Array, start: number, end: number): "plain" | "big" | "huge" => {
  const wholeEnd = endOf(bytes, start + 1, isDigit);
  const magnitude = wholeEnd - start + exponentOf(bytes, wholeEnd, end);
  if (magnitude > 308 && !Number.isFinite(Number(new TextDecoder().decode(bytes.subarray(start, end))))) {
    return "huge";
  }
  return wholeEnd === end && wholeEnd - start > 15 ? "big" : "plain";
};

/** The exponent behind `e`, 0 when it is negative or there is none. */
const exponentOf = (bytes: Uint8Array, from: number, end: number): number => {
  let at = from;
  while (at < end && !isExponent(bytes[at] ?? 0)) at++;
  if (bytes[++at] === MINUS) return 0;
  let exponent = 0;
  for (; at < end; at++) if (isDigit(bytes[at] ?? 0)) exponent = exponent * 10 + (bytes[at] ?? 0) - 0x30;
  return exponent;
};
