import { FrameworkError } from "@framework/core";
import { jsonWriter, messageOf } from "@framework/core/feature";
import { MAX_VALUE_BYTES } from "../limits.ts";
import { badValue } from "../errors/saga-errors.ts";

/**
 * Serialises a value as JSON; `null` for `undefined`.
 *
 * @throws SAGA_BAD_VALUE if JSON cannot represent a part of it, such as a `Map` or `NaN`, with the path of that part, or if it is larger than 1 MiB
 */
export const jsonValue = (value: unknown, subject: string): string | null => {
  const text = stringify(value, subject);
  if (text === null) return null;
  if (Buffer.byteLength(text) > MAX_VALUE_BYTES)
    throw badValue(`${subject} is larger than ${MAX_VALUE_BYTES} bytes`);
  return text;
};

/** Serialises a value as JSON; `null` for `undefined` and for a value that `jsonValue` rejects. */
export const jsonOrNull = (value: unknown): string | null => {
  try {
    return jsonValue(value, "the value");
  } catch {
    return null;
  }
};

const writerOptions = { debug: true, exact: true, log: { warn: () => {} }, code: "SAGA_BAD_VALUE" }; // problems are thrown, not logged

/** Converts `undefined` items to `null`, such as in the result of `Promise.all` of functions that return nothing. */
const orNull = (item: unknown): unknown => (item === undefined ? null : item);

const stringify = (value: unknown, subject: string): string | null => {
  if (value === undefined) return null;
  try {
    return jsonWriter(`saga: ${subject}`, writerOptions)(Array.isArray(value) ? value.map(orNull) : value);
  } catch (error) {
    if (FrameworkError.is(error)) throw error;
    throw badValue(`${subject} is not JSON data: ${messageOf(error)}`);
  }
};

/** Parses stored JSON; `undefined` for `null`. */
export const valueIn = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text));
