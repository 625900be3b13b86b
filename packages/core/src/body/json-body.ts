import { ValueError } from "../errors/http-errors.ts";
import { excerpt } from "../http/excerpt.ts";
import { overflowAt } from "./json-overflow.ts";
import { type JsonScan, mayOverflow, scanJson } from "./json-scan.ts";
import { decodeUtf8 } from "./utf8.ts";

/** Options of `parseJson`. */
export interface JsonBodyOptions {
  /** Maximum levels of nested arrays and objects. @default 100 */
  readonly maxDepth?: number;
  /** Returns integers beyond 2^53 exactly, as `bigint`, instead of as the nearest number. @default false */
  readonly bigint?: boolean;
}

/**
 * Parses a JSON body (RFC 8259): UTF-8, with any top-level value. Of duplicate names the last wins; a leading byte order mark is skipped.
 *
 * `__proto__` is an ordinary name: an own property of the result. Numbers beyond the range of a double (`1e400`) are rejected.
 *
 * @throws ValueError 400 for a body that is empty, malformed or too deep, or has such a number; the message has the position if known
 */
export const parseJson = (
  bytes: Uint8Array,
  { maxDepth = 100, bigint = false }: JsonBodyOptions = {},
): unknown => {
  if (bytes.byteLength === 0) throw new ValueError("The body is empty, but JSON was expected");
  const isShort = bytes.byteLength < 2 * (maxDepth + 1); // each level takes two bytes
  const hasExponent = isShort || requireDepth(bytes, maxDepth).hasExponent;
  try {
    return parseText(bytes, decodeUtf8(bytes, "The JSON body"), { bigint, hasExponent });
  } catch (error) {
    if (isShort) requireDepth(bytes, maxDepth); // a malformed body that is also too deep gets the same error as a long one
    throw error;
  }
};

const requireDepth = (bytes: Uint8Array, maxDepth: number): JsonScan => {
  const scan = scanJson(bytes, maxDepth);
  if (scan.isTooDeep) throw new ValueError(`The JSON body is nested deeper than ${maxDepth} levels`);
  return scan;
};

const parseText = (
  bytes: Uint8Array,
  decoded: string,
  { bigint, hasExponent }: { readonly bigint: boolean; readonly hasExponent: boolean },
): unknown => {
  const text = withoutMark(decoded);
  const value = parse(text, bigint && BIG_INTEGER.test(text));
  const offset = mayOverflow(bytes, text, hasExponent) ? overflowAt(bytes) : null; // exact check, only for valid JSON
  if (offset === null) return value;
  throw new ValueError(`The JSON body has a number out of range at byte ${offset}`);
};

// May match digits in a string: it only selects the slower parser.
const BIG_INTEGER = /(?<!\d)\d{16}/;

const withoutMark = (text: string): string => (text.startsWith("\uFEFF") ? text.slice(1) : text);

const parse = (text: string, exact: boolean): unknown => {
  try {
    return exact ? JSON.parse(text, exactInteger) : JSON.parse(text);
  } catch (cause) {
    throw new ValueError(`The JSON body is malformed${positionIn((cause as Error).message)}`, { cause });
  }
};

const exactInteger = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  if (!Number.isFinite(value)) return value; // rejected later; converting millions of digits would block the process for seconds
  const source = context?.source ?? "";
  return /^-?\d+$/.test(source) ? BigInt(source) : value;
};

/** Extracts the position or the unexpected token from the engine's message, which also quotes the input. */
const positionIn = (message: string): string => {
  const position = /JSON at position (\d+)(?: \([^)"]*\))?$/.exec(message)?.[1];
  if (position !== undefined) return ` at position ${position}`;
  const token = /^Unexpected token '(.+?)'/su.exec(message)?.[1];
  if (token !== undefined) return `: unexpected ${excerpt(token)}`;
  return message.includes("end of JSON") ? ": it ends too early" : "";
};
