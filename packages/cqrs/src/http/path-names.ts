/** Returns the names of path parameters, such as `id` in `/orders/{id}`. */
export const pathNames = (path: string): ReadonlySet<string> =>
  new Set(Array.from(path.matchAll(/\{\*?(\w+)\}/g), ([, name = ""]) => name));

/** Adds path parameters to an input that is an object; they replace its own members. */
export const withParams = (value: unknown, params: Readonly<Record<string, unknown>>): unknown => {
  if (Object.keys(params).length === 0) return value;
  if (value === undefined) return { ...params };
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { ...value, ...params } : value;
};
