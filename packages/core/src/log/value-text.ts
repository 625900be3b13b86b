/** Replacement text of a value that cannot be serialised. */
export const UNSERIALISABLE = "[not serialisable]";
/** Maximum number of inner errors shown per error. A failed connection has one for each address of the host. */
export const MAX_INNER = 8;

/** Any value as text: a string unchanged, other values as JSON. Never throws. */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (toJson(value) ?? UNSERIALISABLE);

/** The message of an error, or any other thrown value, as text. Never throws: a program may set a message to any value. */
export const messageOf = (thrown: unknown): string =>
  textOf(Error.isError(thrown) ? memberOf(thrown, "message") : thrown);

/** Reads a member of an error. Never throws, even if the member is a getter that throws. */
export const memberOf = (
  error: Error,
  name: "name" | "message" | "code" | "stack" | "cause" | "errors",
): unknown => {
  try {
    return (error as Partial<Record<typeof name, unknown>>)[name];
  } catch {
    return UNSERIALISABLE;
  }
};

/** Any value as JSON: errors with their stack, cycles replaced by a text, values that JSON lacks as by `String`; `undefined` if it cannot be serialised. */
export const toJson = (value: unknown): string | undefined => {
  const above: { readonly item: object; readonly plain: object }[] = [];
  function replace(this: unknown, _key: string, item: unknown): unknown {
    while (above.length > 0 && above.at(-1)?.plain !== this) above.pop();
    if (typeof item === "bigint") return String(item);
    if (typeof item !== "object" || item === null) return item;
    if (above.some((parent) => parent.item === item)) return "[circular]";
    const plain = Error.isError(item) ? plainError(item) : item;
    above.push({ item, plain });
    return plain;
  }
  try {
    return JSON.stringify(value, replace) ?? String(value);
  } catch {
    return undefined; // a getter or toJSON threw, or the value is nested too deeply: the line is written without it
  }
};

const plainError = (error: Error): object => {
  const errors = memberOf(error, "errors");
  return {
    name: memberOf(error, "name"),
    message: memberOf(error, "message"),
    code: memberOf(error, "code"),
    stack: memberOf(error, "stack"),
    cause: memberOf(error, "cause"),
    errors: Array.isArray(errors) ? errors.slice(0, MAX_INNER) : undefined,
  };
};
