import { messageOf } from "@framework/core/feature";
import { MAX_VALUE_BYTES } from "../limits.ts";
import { badValue } from "../errors/saga-errors.ts";

/** Returns JSON text of a value; `null` for `undefined`. @throws SAGA_BAD_VALUE when it is no JSON data or larger than 1 MiB */
export const jsonValue = (value: unknown, what: string): string | null => {
  const text = stringified(value, what);
  if (text === null) return null;
  if (Buffer.byteLength(text) > MAX_VALUE_BYTES)
    throw badValue(`${what} is larger than ${MAX_VALUE_BYTES} bytes`);
  return text;
};

const stringified = (value: unknown, what: string): string | null => {
  try {
    return JSON.stringify(value) ?? null;
  } catch (error) {
    throw badValue(`${what} is not JSON data: ${messageOf(error)}`);
  }
};

/** Reads stored JSON; `undefined` for none. */
export const valueIn = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text));
