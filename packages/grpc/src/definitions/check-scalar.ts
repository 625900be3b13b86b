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

const isBytes = (value: unknown): boolean => {
  if (value instanceof Uint8Array) return true;
  if (typeof value === "string") return BASE64.test(value);
  return Array.isArray(value) && value.every(isByte);
};

const isByte = isWithin(0, 255);

const isText = (value: unknown): boolean => typeof value === "string";

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
const text = checkBy(isText, "a string");

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
  ["bytes", checkBy(isBytes, "bytes: a Buffer, a Uint8Array, or a Base64 string")],
]);

/** Checks of the keys of a map, which are strings in JavaScript. */
export const keyChecks: ReadonlyMap<string, CheckValue> = new Map(
  [...scalarChecks].map(([type, check]): [string, CheckValue] => {
    if (type === "string") return [type, check];
    if (type === "bool") return [type, checkBy((key) => key === "true" || key === "false", "true or false")];
    return [
      type,
      (key, within, place) => check(type.endsWith("64") ? key : toNumber(String(key)), within, place),
    ];
  }),
);

const toNumber = (key: string): number => (DIGITS.test(key) ? Number(key) : Number.NaN);
