import { isShort } from "./short-string.ts";

/** A value with a type of AMQP that JavaScript lacks, as the driver reads and writes it. */
interface Typed {
  readonly "!": string;
  readonly value: unknown;
}

/** Last second of the year 9999, since 1970: the last one of RFC 3339. */
const LAST_SECOND = 253_402_300_799;
/** Least integer of 64 bits. */
const LEAST_INTEGER = -(2 ** 63);
/** Largest time that the driver writes. */
const LAST_TIME = 2 ** 64 - 2048;
/** Lists and tables in each other, of which a frame has room for thousands. */
const MAX_DEPTH = 100;

/** The text of a header's value: numbers and booleans as JSON has them, times as in RFC 3339. `null` for bytes, a list, a table, and no value. */
export const textOf = (value: unknown): string | null => {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return isTyped(value) ? typedText(value) : null;
};

const typedText = ({ "!": type, value }: Typed): string | null => {
  if (type === "timestamp" && typeof value === "number")
    return value <= LAST_SECOND ? new Date(value * 1000).toISOString() : String(value);
  if (type !== "decimal" || !isDecimal(value)) return null;
  const digits = String(value.digits).padStart(value.places + 1, "0");
  const at = digits.length - value.places;
  return value.places === 0 ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`;
};

/** A value as the driver can write it again; `undefined` when it cannot: names that are too long after their bytes were no UTF-8, and tables that look like `Typed`. */
export const writable = (value: unknown, depth = 0): unknown => {
  if (typeof value === "number") return isLong(value) ? value : { "!": "double", value };
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return value;
  if (isTyped(value)) return writableTyped(value);
  if (depth === MAX_DEPTH) return undefined;
  if (Array.isArray(value))
    return value.map((each) => writable(each, depth + 1)).filter((each) => each !== undefined);
  const table = Object.create(null) as Record<string, unknown>; // names come from outside
  for (const [name, each] of Object.entries(value))
    if (isShort(name)) table[name] = writable(each, depth + 1);
  return table;
};

/** Whether a number is an integer of 64 bits. The driver takes others for such ones too: -0, those below, and large ones with a fraction. */
const isLong = (value: number): boolean =>
  Number.isInteger(value) && value >= LEAST_INTEGER && value < -LEAST_INTEGER && !Object.is(value, -0);

const writableTyped = ({ "!": type, value }: Typed): Typed | undefined => {
  if (type === "timestamp" && typeof value === "number" && value >= 0)
    return { "!": type, value: Math.min(Math.trunc(value), LAST_TIME) };
  return type === "decimal" && isDecimal(value) ? { "!": type, value } : undefined;
};

/** Most bytes that a value has when the driver writes it. */
export const writtenBytes = (value: unknown, depth = 0): number => {
  if (typeof value === "string") return 5 + Buffer.byteLength(value);
  if (Buffer.isBuffer(value)) return 5 + value.length;
  if (typeof value !== "object" || value === null || isTyped(value) || depth === MAX_DEPTH) return 9;
  let bytes = 5;
  for (const [name, each] of Object.entries(value))
    bytes += 1 + Buffer.byteLength(name) + writtenBytes(each, depth + 1);
  return bytes;
};

const isTyped = (value: unknown): value is Typed =>
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
