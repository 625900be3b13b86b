import { ValueError } from "../errors/http-errors.ts";
import { excerpt } from "../http/excerpt.ts";

const trueWords: ReadonlySet<string> = new Set(["true", "1", "yes", "on"]);
const falseWords: ReadonlySet<string> = new Set(["false", "0", "no", "off"]);

/**
 * Parses an integer: decimal digits with an optional `-`, within ±(2^53 - 1).
 *
 * @param name name of the parameter in the error message
 * @throws ValueError 400 for anything else: empty text, blanks, `+1`, `1.0`, `1e3`, `0x10`
 */
export const toInt = (text: string, name?: string): number => {
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw notA("a whole number", text, name);
  return value === 0 ? 0 : value; // never -0
};

/**
 * Parses a finite decimal number: digits with an optional `-`, fraction and exponent (`-1.5e3`).
 *
 * @throws ValueError 400 for anything else: empty text, blanks, `.5`, `1.`, `NaN`, `Infinity`, `1e400`
 */
export const toFloat = (text: string, name?: string): number => {
  const value = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw notA("a number", text, name);
  return value;
};

/**
 * Parses a case-insensitive boolean: `true`, `1`, `yes`, `on` or `false`, `0`, `no`, `off`.
 *
 * @throws ValueError 400 for anything else
 */
export const toBoolean = (text: string, name?: string): boolean => {
  const word = text.toLowerCase();
  if (trueWords.has(word)) return true;
  if (falseWords.has(word)) return false;
  throw notA("true or false", text, name);
};

const notA = (wanted: string, text: string, name?: string): ValueError =>
  new ValueError(
    `${name === undefined ? "The value" : `Parameter ${excerpt(name)}`} must be ${wanted}, but is ${excerpt(text)}`,
  );
