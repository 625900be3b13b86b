import { memberOf, textOf } from "@framework/core/feature";
import { truncate, MAX_FIELD_LENGTH, truncationMark } from "./json-string.ts";

/** Replacement for a secret. */
const REDACTED = "[redacted]";

const MAX_DEPTH = 6;
const MAX_MEMBERS = 64;
const MAX_STACK_LENGTH = 8192;

/** Names of secrets, in any spelling: `Set-Cookie`, `accessToken`, `DB_PASSWORD`. */
const SECRET_NAME =
  /(?:authorization|authenticate|cookie|password|passwd|passphrase|secret|token|apikey|privatekey|credentials?|sessionid)$/;

/** Copies values for the log: bounded, as plain data, and without secrets. */
export interface Redaction {
  /** Returns a copy of a record, with at most 64 members in each object and six levels. */
  fields(fields: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** Returns a copy of a value without a name, such as a body, with the same bounds. */
  value(value: unknown): unknown;
}

/** Creates the redaction of an app. @param more additional names, in any spelling */
export const createRedaction = (more: readonly string[] = []): Redaction => {
  const additional = new Set(more.map(normalise));
  const decisions = new Map<string, boolean>(); // bounded: clients may choose field names
  const hides = (name: string): boolean => {
    const known = decisions.get(name);
    if (known !== undefined) return known;
    const key = normalise(name);
    const decision = SECRET_NAME.test(key) || additional.has(key);
    if (decisions.size < 1000 && name.length <= 64) decisions.set(name, decision);
    return decision;
  };

  const copy = (value: unknown, depth: number, above: readonly object[]): unknown => {
    if (typeof value === "string") return withoutCredentials(value);
    if (typeof value === "bigint") return `${value}`;
    if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
    if (typeof value !== "object" || value === null) return value;
    if (above.includes(value)) return "[circular]";
    if (depth >= MAX_DEPTH) return "[deeper]";
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    const bytes = bytesOf(value);
    if (bytes !== null) return `[${bytes} bytes]`;
    const inside = [...above, value];
    if (Error.isError(value)) return copyError(value, depth, inside);
    if (Array.isArray(value))
      return value.slice(0, MAX_MEMBERS).map((item: unknown) => copy(item, depth + 1, inside));
    return copyObject(value, depth, inside);
  };

  /** Copies an object: the entries of a collection, a set as a list, a URL without its query, the result of `toJSON`; else its members. */
  const copyObject = (value: object, depth: number, above: readonly object[]): unknown => {
    if (value instanceof RegExp) return withoutCredentials(String(value));
    if (value instanceof URL) return withoutCredentials(withoutQuery(value.href));
    if (value instanceof Set)
      return Array.from(value.values().take(MAX_MEMBERS), (item) => copy(item, depth + 1, above));
    if (hasEntries(value)) return copyEntries(value, depth, above);
    const json = "toJSON" in value && typeof value.toJSON === "function" ? value.toJSON() : value;
    return json === value ? copyMembers(value, depth, above) : copy(json, depth + 1, above);
  };

  /** Several entries with one name, such as in a form, become a list. */
  const copyEntries = (value: Entries, depth: number, above: readonly object[]): object => {
    const lists = new Map<string, unknown[]>();
    for (const [key, member] of Iterator.from(value.entries()).take(MAX_MEMBERS)) {
      const name = textOf(key);
      const shown = hides(name) ? REDACTED : copy(member, depth + 1, above);
      const list = lists.get(truncate(name, 100));
      if (list === undefined) lists.set(truncate(name, 100), [shown]);
      else list.push(shown);
    }
    const copied = Object.create(null) as Record<string, unknown>;
    for (const [name, list] of lists) copied[name] = list.length > 1 ? list : list[0];
    return copied;
  };

  const copyMembers = (value: object, depth: number, above: readonly object[]): Record<string, unknown> => {
    const copied = Object.create(null) as Record<string, unknown>;
    let members = 0;
    for (const name of Object.keys(value)) {
      if (++members > MAX_MEMBERS) break;
      copied[truncate(name, 100)] = copyMember(value, name, depth, above);
    }
    return copied;
  };

  const copyMember = (value: object, name: string, depth: number, above: readonly object[]): unknown => {
    try {
      const member: unknown = (value as Record<string, unknown>)[name];
      return hides(name) && member !== null && member !== undefined
        ? REDACTED
        : copy(member, depth + 1, above);
    } catch {
      return UNREADABLE; // a getter or a proxy of the caller threw: the other fields are still written
    }
  };

  const copyError = (error: Error, depth: number, above: readonly object[]): object => {
    const member = (name: string): unknown => copyMember(error, name, depth, above);
    return {
      type: copy(classOf(error), depth, above),
      name: member("name"),
      message: member("message"),
      ...(memberOf(error, "code") === undefined ? {} : { code: member("code") }),
      stack: withoutCredentials(textOf(memberOf(error, "stack")), MAX_STACK_LENGTH),
      ...(memberOf(error, "cause") === undefined ? {} : { cause: member("cause") }),
      ...(error instanceof AggregateError ? { errors: member("errors") } : {}),
    };
  };

  return {
    fields(fields) {
      try {
        return copyMembers(fields, 0, [fields]);
      } catch {
        return { fields: UNREADABLE }; // a proxy of the caller threw: the message is still written
      }
    },
    value: (value) => copy(value, 1, []),
  };
};

/** Returns the number of bytes of binary data: a buffer, a view of one, or a file; `null` for other objects. */
const bytesOf = (value: object): number | null => {
  if (value instanceof Blob) return value.size;
  const isBuffer = value instanceof ArrayBuffer || value instanceof SharedArrayBuffer;
  return isBuffer || ArrayBuffer.isView(value) ? value.byteLength : null;
};

/** A `Map`, or a collection of the web such as `Headers`. */
interface Entries {
  entries(): Iterable<readonly [unknown, unknown]>;
}

const hasEntries = (value: object): value is Entries =>
  Symbol.iterator in value && "entries" in value && typeof value.entries === "function";

/** The name of an error's class; the error's `name` if the class has none or cannot be read. */
const classOf = (error: Error): unknown => {
  try {
    return (error.constructor as { name?: string } | undefined)?.name ?? error.name;
  } catch {
    return memberOf(error, "name");
  }
};

/** Written in place of a value that cannot be read. */
const UNREADABLE = "[unreadable]";

/** Returns a name in one spelling. The whole name counts, because names of secrets are recognised by their end. */
const normalise = (name: string): string => name.toLowerCase().replace(/[^a-z\d]+/g, "");

/** Redacts a possible query or fragment of a URL. `?0` and `?1` on their own are booleans (RFC 9651 3.3.6). */
export const withoutQuery = (value: string): string =>
  value.replace(/((?<=[^\s=,;])\?|\?(?![01](?:[\s,;]|$))|(?<=\S)#).*/s, `$1${REDACTED}`);

/**
 * Credentials in a URL end at white space, `/`, `?`, `#`, or the quote that ends a string of compact JSON, after which the next string, list or object
 * begins. Other quotes may be part of a password; JSON escapes them with a backslash.
 */
const URL_CREDENTIALS = /:\/\/(?:[^\s/?#"]|"(?!(?<!\\")[}\]]*[,:]["[{]))*@/g;
const OPEN_URL_CREDENTIALS = /:\/\/(?:[^\s/?#"]|"(?!(?<!\\")[}\]]*[,:]["[{]))*$/;

/**
 * Truncates a text and redacts credentials in URLs, such as connection strings, and in header fields. The
 * time is linear in the length, since neither pattern matches across the `/` or the space that begins the next match.
 */
export const withoutCredentials = (text: string, length: number = MAX_FIELD_LENGTH): string =>
  text.length <= length
    ? redactCredentials(text)
    : `${redactCredentials(withoutOpenEnd(text.slice(0, length)))}${truncationMark(text.length - length)}`;

const redactCredentials = (text: string): string =>
  text
    .replace(URL_CREDENTIALS, `://${REDACTED}@`)
    .replace(/\b(basic|bearer)[ \t]{1,9}[\w.~+/=-]{8,}/gi, `$1 ${REDACTED}`);

/** Redacts possible credentials at the end of a truncated text, because without their end they cannot be recognised. */
const withoutOpenEnd = (start: string): string =>
  start
    .replace(OPEN_URL_CREDENTIALS, `://${REDACTED}`)
    .replace(/\b(basic|bearer)[ \t]{1,9}[\w.~+/=-]*$/i, `$1 ${REDACTED}`);
