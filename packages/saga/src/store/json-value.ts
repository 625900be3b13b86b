import { FrameworkError } from "@framework/core";
import { jsonWriter, messageOf } from "@framework/core/feature";
import { MAX_VALUE_BYTES } from "../limits.ts";
import { badValue } from "../errors/saga-errors.ts";

/**
 * Returns JSON text of a value; `null` for `undefined`.
 *
 * @throws SAGA_BAD_VALUE when JSON would lose a part of it, such as a `Map` or `NaN`, with the path of the part, or when it is larger than 1 MiB
 */
export const jsonValue = (value: unknown, what: string): string | null => {
  const text = stringified(value, what);
  if (text === null) return null;
  if (Buffer.byteLength(text) > MAX_VALUE_BYTES)
    throw badValue(`${what} is larger than ${MAX_VALUE_BYTES} bytes`);
  return text;
};

/** Returns JSON text of a value that is of use only if it is one; else `null`. */
export const jsonOrNull = (value: unknown): string | null => {
  try {
    return jsonValue(value, "the value");
  } catch {
    return null;
  }
};

const report = { debug: true, exact: true, log: { warn: () => {} }, code: "SAGA_BAD_VALUE" }; // under `debug` a loss is an error, so nothing is logged

/** Functions that return nothing have no output, and `Promise.all` of several has a list of these. */
const orNull = (item: unknown): unknown => (item === undefined ? null : item);

const stringified = (value: unknown, what: string): string | null => {
  if (value === undefined) return null;
  try {
    return jsonWriter(`saga: ${what}`, report)(Array.isArray(value) ? value.map(orNull) : value);
  } catch (error) {
    if (FrameworkError.is(error)) throw error;
    throw badValue(`${what} is not JSON data: ${messageOf(error)}`);
  }
};

/** Reads stored JSON; `undefined` for none. */
export const valueIn = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text));
