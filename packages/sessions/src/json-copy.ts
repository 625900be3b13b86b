import type { Json } from "@framework/core/feature";
import { sessionsError } from "./errors.ts";

/** Maximum number of nested objects and lists: far below the depth at which the stack may overflow. */
const MAX_LEVELS = 1000;

/**
 * Returns a deep copy of a value, without members that are `undefined`.
 *
 * @throws SESSIONS_BAD_VALUE when JSON would change the value otherwise, or for more than `MAX_LEVELS` levels
 */
export const jsonCopy = (name: string, value: Json): Json => {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = undefined; // circular, a bigint, or nested so deeply that the stack overflows
  }
  if (text === undefined)
    throw sessionsError("SESSIONS_BAD_VALUE", `the value of "${name}" is not JSON, or is nested too deeply`);
  const copy = JSON.parse(text) as Json;
  if (!isSame(copy, value, 0))
    throw sessionsError(
      "SESSIONS_BAD_VALUE",
      `JSON would change the value of "${name}", or the value has more than ${MAX_LEVELS} levels`,
    );
  return copy;
};

/** Whether a value survives JSON, and is not nested too deeply: a Date, a Map or NaN does not survive. */
const isSame = (copy: unknown, value: unknown, level: number): boolean => {
  if (typeof copy !== "object" || copy === null) return Object.is(copy, value) || (copy === 0 && value === 0);
  if (typeof value !== "object" || value === null || Array.isArray(copy) !== Array.isArray(value))
    return false;
  if (level === MAX_LEVELS) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return false;
  const names = Object.keys(value).filter((name) => Reflect.get(value, name) !== undefined);
  return (
    names.length === Object.keys(copy).length &&
    names.every((name) => isSame(Reflect.get(copy, name), Reflect.get(value, name), level + 1))
  );
};
