import { isShort } from "./short-string.ts";

/** A value with an AMQP type that JavaScript lacks, in amqplib's representation. */
interface TypedValue {
  readonly "!": string;
  readonly value: unknown;
}

/** Last second that RFC 3339 can represent, as Unix seconds. */
const LAST_SECOND = 253_402_300_799;
/** Smallest 64-bit integer. */
const MIN_INTEGER = -(2 ** 63);
/** Largest timestamp that amqplib writes. */
const MAX_TIMESTAMP = 2 ** 64 - 2048;
/** Maximum depth of nested lists and tables; a frame has room for thousands. */
const MAX_DEPTH = 100;

/** Converts a header value to a string: numbers and booleans as in JSON, timestamps as in RFC 3339. `null` for bytes, lists, tables and `null`. */
export const textOf = (value: unknown): string | null => {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return isTyped(value) ? typedText(value) : null;
};

const typedText = ({ "!": type, value }: TypedValue): string | null => {
  if (type === "timestamp" && typeof value === "number")
    return value <= LAST_SECOND ? new Date(value * 1000).toISOString() : String(value);
  if (type !== "decimal" || !isDecimal(value)) return null;
  const digits = String(value.digits).padStart(value.places + 1, "0");
  const at = digits.length - value.places;
  return value.places === 0 ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`;
};

/**
 * Converts a value that amqplib has read to a value that it can write; `undefined` if there is none. Drops tables that look like `TypedValue`, and members whose
 * names have become too long, because decoding replaces invalid UTF-8 by longer characters.
 */
export const toWritable = (value: unknown, depth = 0): unknown => {
  if (typeof value === "number") return isLong(value) ? value : { "!": "double", value };
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return value;
  if (isTyped(value)) return writableTyped(value);
  if (depth === MAX_DEPTH) return undefined;
  if (Array.isArray(value))
    return value.map((each) => toWritable(each, depth + 1)).filter((each) => each !== undefined);
  const table = Object.create(null) as Record<string, unknown>; // names are untrusted
  for (const [name, each] of Object.entries(value))
    if (isShort(name)) table[name] = toWritable(each, depth + 1);
  return table;
};

/** Whether a number is a 64-bit integer. amqplib would also write -0, smaller integers and some fractions as integers. */
const isLong = (value: number): boolean =>
  Number.isInteger(value) && value >= MIN_INTEGER && value < -MIN_INTEGER && !Object.is(value, -0);

const writableTyped = ({ "!": type, value }: TypedValue): TypedValue | undefined => {
  if (type === "timestamp" && typeof value === "number" && value >= 0)
    return { "!": type, value: Math.min(Math.trunc(value), MAX_TIMESTAMP) };
  return type === "decimal" && isDecimal(value) ? { "!": type, value } : undefined;
};

/** Returns an upper bound of the bytes that amqplib writes for a value. */
export const writtenBytes = (value: unknown, depth = 0): number => {
  if (typeof value === "string") return 5 + Buffer.byteLength(value);
  if (Buffer.isBuffer(value)) return 5 + value.length;
  if (typeof value !== "object" || value === null || isTyped(value) || depth === MAX_DEPTH) return 9;
  let bytes = 5;
  for (const [name, each] of Object.entries(value))
    bytes += 1 + Buffer.byteLength(name) + writtenBytes(each, depth + 1);
  return bytes;
};

const isTyped = (value: unknown): value is TypedValue =>
  typeof value === "object" && value !== null && Object.hasOwn(value, "!");

const isDecimal = (value: unknown): value is { readonly places: number; readonly digits: number } =>
  typeof value === "object" &&
  value !== null &&
  "places" in value &&
  "digits" in value &&
  isWithin(value.places, 255) &&
  isWithin(value.digits, 2 ** 32 - 1);

const isWithin = (value: unknown, max: number): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max;
