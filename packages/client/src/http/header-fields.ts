import { givenFields } from "@framework/core/feature";

/** Header fields by name. */
export type CommonHeaders = Readonly<Record<string, string>>;

/** Returns header fields; a field that is `undefined` counts as not given. @throws TypeError for an invalid name or value */
export const headerFields = (given: Headers | CommonHeaders = {}): Headers => {
  if (typeof given !== "object" || given === null || Symbol.iterator in given) return new Headers(given);
  return new Headers(givenFields(given));
};

/** Whether a value is the name of a header field. */
export const isFieldName = (value: unknown): boolean =>
  typeof value === "string" && value.length < 256 && isHeaders({ [value]: "" });

const isHeaders = (value: unknown): boolean => {
  try {
    return headerFields(value as CommonHeaders) instanceof Headers;
  } catch {
    return false; // an invalid name or value
  }
};

/** Returns the mistake with at most five invalid fields, `null` for valid ones; values are omitted, because they may be secrets. */
export const headersProblem = (value: unknown): string | null => {
  if (typeof value !== "object" || value === null) return "must be an object of header fields";
  if (isHeaders(value)) return null;
  const wrong = Object.entries(value).flatMap(([name, each]: [string, unknown]) => {
    if (!isFieldName(name)) return [`${JSON.stringify(name.slice(0, 60))} is not a valid header field name`];
    return isHeaders({ [name]: each }) ? [] : [`the value of ${JSON.stringify(name)} has invalid characters`];
  });
  return `must be an object of header fields, but ${wrong.slice(0, 5).join(", ") || "is another value"}`;
};
