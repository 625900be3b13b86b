/** Request fields with a single value: of a repeated field the first value is used, and a comma is part of the value. */
export const singletonFields: ReadonlySet<string> = new Set([
  "access-control-request-method",
  "age",
  "authorization",
  "content-length",
  "content-location",
  "content-range",
  "content-type",
  "date",
  "from",
  "host",
  "if-modified-since",
  "if-range",
  "if-unmodified-since",
  "last-event-id",
  "max-forwards",
  "origin",
  "proxy-authorization",
  "range",
  "referer",
  "user-agent",
]);

/**
 * Returns the value of a field in a flat list (name, value, name, value …) by its lower-case name; `null` when absent.
 *
 * Repeated fields are joined with `, ` in order (RFC 9110 5.3), cookies with `; `; of a repeated singleton the first value is used.
 */
export const fieldValue = (fields: readonly string[], lowerName: string): string | null => {
  let found: string | null = null;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    if (!isNamed(fields[at] ?? "", lowerName)) continue;
    const value = fields[at + 1] ?? "";
    if (found === null) found = value;
    else if (singletonFields.has(lowerName)) return found;
    else found = joinValues(lowerName, found, value);
  }
  return found;
};

/** Whether a field name equals a lower-case one. */
export const isNamed = (name: string, lowerName: string): boolean =>
  name.length === lowerName.length && (name === lowerName || name.toLowerCase() === lowerName);

/** Joins two values of a repeated field. */
export const joinValues = (lowerName: string, first: string, second: string): string =>
  `${first}${lowerName === "cookie" ? "; " : ", "}${second}`;
