/** Whether a value is an object with fields: not a list, a class instance or a built-in such as a date. Holds for objects of other realms. */
export const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

/** Whether a value may be options: an object, also of a program's class, but not a list. */
export const isOptions = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value is a class, which `typeof` calls a function although only `new` can call it. */
export const isClass = (value: unknown): boolean =>
  typeof value === "function" && Object.getOwnPropertyDescriptor(value, "prototype")?.writable === false;

/** Maximum characters of a text, and maximum items of a list, in a message. */
const MAX_TEXT = 60;
const MAX_ITEMS = 5;

/** Shows a value in a message: texts and lists shortened, objects by their kind alone, since they may contain secrets. */
export const describeValue = (value: unknown): string => {
  if (typeof value === "string") return shownText(value);
  if (Array.isArray(value)) return shownList(value);
  if (typeof value === "function") return "a function";
  if (typeof value === "bigint") return `${value}n`;
  return typeof value === "object" && value !== null ? "an object" : String(value);
};

/** Quotes and shortens a text, without the user and the password of a URL. */
const shownText = (value: string): string => {
  const text = value.slice(0, 1000).replace(/(:\/\/)[^\s/]*@/g, "$1…@");
  return JSON.stringify(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
};

const shownList = (items: readonly unknown[]): string => {
  const first = items
    .slice(0, MAX_ITEMS)
    .map((item) => (Array.isArray(item) ? "a list" : describeValue(item)));
  const rest = items.length - first.length;
  return `[${first.join(", ")}${rest > 0 ? `, and ${rest} more` : ""}]`;
};

/**
 * Completes "must be …, but" for an invalid value: with the invalid items of a list or fields of an object, otherwise with the value. The values of fields are
 * omitted, because they may be secrets.
 *
 * @param problem the rule that the value does not pass
 */
export const invalidPart = (
  name: string,
  value: unknown,
  problem: (value: unknown) => string | null,
): string => {
  const parts = Array.isArray(value)
    ? invalidItems(name, value, problem)
    : isPlainObject(value)
      ? invalidFields(name, value, problem)
      : [];
  return parts.length === 0 ? `is ${describeValue(value)}` : parts.slice(0, MAX_ITEMS).join(", ");
};

/** Describes the items that are invalid on their own. */
const invalidItems = (
  name: string,
  items: readonly unknown[],
  problem: (value: unknown) => string | null,
): string[] =>
  items.flatMap((item, index) =>
    problem([item]) === null ? [] : [`${name}[${index}] is ${describeValue(item)}`],
  );

/** Describes each field whose removal makes the object valid. */
const invalidFields = (
  name: string,
  fields: Readonly<Record<string, unknown>>,
  problem: (value: unknown) => string | null,
): string[] =>
  Object.keys(fields)
    .filter(
      (key) => problem(Object.fromEntries(Object.entries(fields).filter(([own]) => own !== key))) === null,
    )
    .map((key) => `${name}${/^[a-z_$][\w$]*$/i.test(key) ? `.${key}` : `[${shownText(key)}]`} does not fit`);
