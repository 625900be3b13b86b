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

/** Longest text, and most items, that a message shows. */
const MAX_TEXT = 60;
const MAX_ITEMS = 5;

/** Shows a value in a message: texts and lists shortened, objects by their kind alone, since they may contain secrets. */
export const shown = (value: unknown): string => {
  if (typeof value === "string") return shownText(value);
  if (Array.isArray(value)) return shownList(value);
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value !== null ? "an object" : String(value);
};

/** A text without the user and the password of a URL. */
const shownText = (value: string): string => {
  const text = value.slice(0, 1000).replace(/(:\/\/)[^\s/@]*@/g, "$1…@");
  return JSON.stringify(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
};

const shownList = (items: readonly unknown[]): string => {
  const first = items.slice(0, MAX_ITEMS).map((item) => (Array.isArray(item) ? "a list" : shown(item)));
  const rest = items.length - first.length;
  return `[${first.join(", ")}${rest > 0 ? `, and ${rest} more` : ""}]`;
};

/**
 * Completes "must be …, but" for a wrong value: with the items of a list, or the fields of an object, that are wrong, else with the value. Values of fields
 * are left out: they may be secrets.
 *
 * @param problem the rule that the value does not pass
 */
export const wrongPart = (
  name: string,
  value: unknown,
  problem: (value: unknown) => string | null,
): string => {
  const parts = Array.isArray(value)
    ? wrongItems(name, value, problem)
    : isPlainObject(value)
      ? wrongFields(name, value, problem)
      : [];
  return parts.length === 0 ? `is ${shown(value)}` : parts.slice(0, MAX_ITEMS).join(", ");
};

/** The items that are wrong by themselves. */
const wrongItems = (
  name: string,
  items: readonly unknown[],
  problem: (value: unknown) => string | null,
): string[] =>
  items.flatMap((item, index) => (problem([item]) === null ? [] : [`${name}[${index}] is ${shown(item)}`]));

/** The fields without which the object is right. */
const wrongFields = (
  name: string,
  fields: Readonly<Record<string, unknown>>,
  problem: (value: unknown) => string | null,
): string[] =>
  Object.keys(fields)
    .filter(
      (key) => problem(Object.fromEntries(Object.entries(fields).filter(([own]) => own !== key))) === null,
    )
    .map((key) => `${name}${/^[a-z_$][\w$]*$/i.test(key) ? `.${key}` : `[${shownText(key)}]`} does not fit`);
