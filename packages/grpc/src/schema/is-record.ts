/**
 * Whether a value is an object whose content is in its members: a plain one, or an instance of a class that has members. False for `Map`, `Set` and
 * `Date`, which would be sent empty.
 */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return false;
  return isPlain(value) || Object.keys(value).length > 0;
};

/** Whether an object has no class, in any realm. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};
