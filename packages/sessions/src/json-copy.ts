import type { Json } from "@framework/core/feature";
import { sessionsError } from "./errors.ts";

/** Returns a deep copy of a value, without members that are `undefined`. @throws SESSIONS_BAD_VALUE when JSON would change the value otherwise */
export const jsonCopy = (name: string, value: Json): Json => {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = undefined; // circular, or a bigint
  }
  if (text === undefined) throw sessionsError("SESSIONS_BAD_VALUE", `the value of "${name}" is not JSON`);
  const copy = JSON.parse(text) as Json;
  if (!isSame(copy, value))
    throw sessionsError("SESSIONS_BAD_VALUE", `JSON would change the value of "${name}"`);
  return copy;
};

/** Whether a value survives JSON: a Date, a Map or NaN does not. */
const isSame = (copy: unknown, value: unknown): boolean => {
  if (typeof copy !== "object" || copy === null) return Object.is(copy, value) || (copy === 0 && value === 0);
  if (typeof value !== "object" || value === null || Array.isArray(copy) !== Array.isArray(value))
    return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return false;
  const names = Object.keys(value).filter((name) => Reflect.get(value, name) !== undefined);
  return (
    names.length === Object.keys(copy).length &&
    names.every((name) => isSame(Reflect.get(copy, name), Reflect.get(value, name)))
  );
};
