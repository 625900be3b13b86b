import { badMessage } from "../schema/bad-message.ts";

/** Path of a value: its key in a message, list or map, and the path of that container. */
export interface Place {
  readonly within: Place | null;
  readonly key: string | number;
  /** Nesting depth of the message that is or contains the value; 0 for the outermost. */
  readonly depth: number;
}

/**
 * Checks a value of one type, and returns it in a form that protobufjs converts correctly. The path is passed in parts and is formatted only for errors.
 *
 * @throws FrameworkError GRPC_BAD_MESSAGE, which names the field
 */
export type CheckValue = (value: unknown, within: Place | null, key: string | number) => unknown;

/** Throws the error for a value of the wrong type. @param wanted completes "must be" */
export const refuse = (wanted: string, within: Place | null, key: string | number): never => {
  throw badMessage(textOf(within, key), wanted);
};

const textOf = (within: Place | null, key: string | number): string => {
  if (within === null) return String(key);
  const before = textOf(within.within, within.key);
  return typeof key === "number" ? `${before}[${key}]` : `${before}.${key}`;
};

/** Returns a check that accepts the values for which `isValid` returns true. */
export const checkBy =
  (isValid: (value: unknown) => boolean, wanted: string): CheckValue =>
  (value, within, key) =>
    isValid(value) ? value : refuse(wanted, within, key);

const isWithin =
  (min: number, max: number) =>
  (value: unknown): boolean =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max;

/** Whether a value is a 32-bit integer. */
export const isInt32: (value: unknown) => boolean = isWithin(-(2 ** 31), 2 ** 31 - 1);
const isUint32 = isWithin(0, 2 ** 32 - 1);

const DIGITS = /^-?\d{1,20}$/;

/** Accepts numbers up to 2^53 - 1, strings and bigints of the whole range, and the `Long` of proto-loader. */
const isLong =
  (min: bigint, max: bigint) =>
  (value: unknown): boolean => {
    if (typeof value === "number") return Number.isSafeInteger(value) && (min < 0n || value >= 0);
    if (typeof value === "string" && DIGITS.test(value)) return isBetween(BigInt(value), min, max);
    return typeof value === "bigint" ? isBetween(value, min, max) : isLongObject(value);
  };

const isBetween = (value: bigint, min: bigint, max: bigint): boolean => value >= min && value <= max;

const isLongObject = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "low" in value &&
  "high" in value &&
  typeof value.low === "number" &&
  typeof value.high === "number";

const isInt64 = isLong(-(2n ** 63n), 2n ** 63n - 1n);
const isUint64 = isLong(0n, 2n ** 64n - 1n);

/** Accepts numbers, and the strings that proto-loader accepts: `"NaN"`, `"Infinity"`, `"1.5"`. */
const isDouble = (value: unknown): boolean =>
  typeof value === "number" ||
  (typeof value === "string" && (value === "NaN" || (value.trim() !== "" && !Number.isNaN(Number(value)))));

/** Accepts the same as `isDouble`, except finite numbers that overflow a float. */
const isFloat = (value: unknown): boolean =>
  isDouble(value) && (!Number.isFinite(Number(value)) || Number.isFinite(Math.fround(Number(value))));

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

const isBase64 = (value: string): boolean => {
  if (!BASE64.test(value)) return false;
  const padding = value.endsWith("==") ? 2 : value.endsWith("=") ? 1 : 0;
  const rest = (value.length - padding) % 4;
  return padding === 0 ? rest !== 1 : rest > 1;
};

const isByte = isWithin(0, 255);

/** Decodes Base64, also with the alphabet for URLs and without padding, because protobufjs decodes less. */
const bytes: CheckValue = (value, within, key) => {
  if (typeof value === "string" && isBase64(value)) return Buffer.from(value, "base64");
  if (value instanceof Uint8Array || (Array.isArray(value) && value.every(isByte))) return value;
  return refuse("bytes: a Buffer, a Uint8Array, or a Base64 string", within, key);
};

/** Replaces lone surrogates with U+FFFD: protobufjs writes them as invalid UTF-8. */
const text: CheckValue = (value, within, key) =>
  typeof value === "string" ? value.toWellFormed() : refuse("a string", within, key);

const signed = checkBy(isInt32, "a whole number from -2^31 to 2^31 - 1");
const unsigned = checkBy(isUint32, "a whole number from 0 to 2^32 - 1");
const signedLong = checkBy(
  isInt64,
  "a whole number up to 2^53 - 1, or a string or bigint from -2^63 to 2^63 - 1",
);
const unsignedLong = checkBy(
  isUint64,
  "a whole number from 0 to 2^53 - 1, or a string or bigint up to 2^64 - 1",
);

/** Checks of the scalar types of Protocol Buffers, by their names. */
export const scalarChecks: ReadonlyMap<string, CheckValue> = new Map([
  ["int32", signed],
  ["sint32", signed],
  ["sfixed32", signed],
  ["uint32", unsigned],
  ["fixed32", unsigned],
  ["int64", signedLong],
  ["sint64", signedLong],
  ["sfixed64", signedLong],
  ["uint64", unsignedLong],
  ["fixed64", unsignedLong],
  ["double", checkBy(isDouble, "a number")],
  ["float", checkBy(isFloat, "a number in the range of a float")],
  ["bool", checkBy((value) => typeof value === "boolean", "true or false")],
  ["string", text],
  ["bytes", bytes],
]);

const keyCheck = (type: string, check: CheckValue): CheckValue => {
  if (type === "string") return check;
  if (type === "bool") return boolKey;
  return (name, within, key) => {
    check(type.endsWith("64") ? name : toNumber(String(name)), within, key);
    return name;
  };
};

/** Returns the empty string for `false`: protobufjs writes every other key of a map as true. */
const boolKey: CheckValue = (name, within, key) => {
  if (name === "false") return "";
  return name === "true" ? name : refuse("true or false", within, key);
};

/** Checks of the keys of a map, which are strings in JavaScript. They return strings. */
export const keyChecks: ReadonlyMap<string, CheckValue> = new Map(
  [...scalarChecks].map(([type, check]): [string, CheckValue] => [type, keyCheck(type, check)]),
);

const toNumber = (key: string): number => (DIGITS.test(key) ? Number(key) : Number.NaN);
