import { isDigit } from "./json-scan.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;

/** Returns the byte offset of the first number in valid JSON that overflows a double; `null` if none does. */
export const overflowAt = (bytes: Uint8Array): number | null => {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (isDigit(byte) || byte === MINUS) {
      const end = endOf(bytes, at, isNumberPart);
      if (overflows(bytes, at, end)) return at;
      at = end - 1;
    }
  }
  return null;
};

/** A number whose integer digits plus exponent are at most 308 is below 10^308, so finite; any other is converted. */
const overflows = (bytes: Uint8Array, start: number, end: number): boolean => {
  const wholeEnd = endOf(bytes, start + 1, isDigit);
  if (wholeEnd - start + exponentOf(bytes, wholeEnd, end) <= 308) return false;
  return !Number.isFinite(Number(new TextDecoder().decode(bytes.subarray(start, end))));
};

/** Returns the exponent; 0 if it is absent or negative. */
const exponentOf = (bytes: Uint8Array, from: number, end: number): number => {
  let at = from;
  while (at < end && !isExponent(bytes[at] ?? 0)) at++;
  if (bytes[++at] === MINUS) return 0;
  let exponent = 0;
  for (; at < end; at++) if (isDigit(bytes[at])) exponent = exponent * 10 + (bytes[at] ?? 0) - 0x30;
  return exponent;
};

/** Returns the index of the closing quote of the string that starts at `quote`. */
const endOfString = (bytes: Uint8Array, quote: number): number => {
  let at = quote + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
};

const endOf = (bytes: Uint8Array, from: number, isPart: (byte: number) => boolean): number => {
  let at = from;
  while (at < bytes.length && isPart(bytes[at] ?? 0)) at++;
  return at;
};

const isNumberPart = (byte: number): boolean =>
  isDigit(byte) || byte === POINT || isExponent(byte) || byte === MINUS || byte === PLUS;

const isExponent = (byte: number): boolean => (byte | 0x20) === 0x65;
