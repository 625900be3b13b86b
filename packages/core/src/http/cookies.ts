import { trimBlanks } from "./field-grammar.ts";

const MAX_COOKIES = 64;
const MAX_COOKIE_LENGTH = 4096;

/** Cookies of a request by name. `toObject()` returns an object without prototype, so a cookie may have any name. */
export class Cookies implements Iterable<[string, string]> {
  private readonly byName: ReadonlyMap<string, string>;

  constructor(byName: ReadonlyMap<string, string>) {
    this.byName = byName;
  }

  /** Number of cookies. */
  get size(): number {
    return this.byName.size;
  }

  /** Returns the value of a cookie; if absent the fallback, by default `null`. */
  get(name: string, fallback?: undefined): string | null;
  get<T>(name: string, fallback: T): string | T;
  get(name: string, fallback: unknown = null): unknown {
    return this.byName.get(name) ?? fallback;
  }

  /** Whether there is a cookie of this name. */
  has(name: string): boolean {
    return this.byName.has(name);
  }

  /** The names. */
  keys(): IteratorObject<string, undefined> {
    return this.byName.keys();
  }

  /** The values. */
  values(): IteratorObject<string, undefined> {
    return this.byName.values();
  }

  /** Pairs of name and value. */
  entries(): IteratorObject<[string, string], undefined> {
    return this.byName.entries();
  }

  [Symbol.iterator](): IteratorObject<[string, string], undefined> {
    return this.byName.entries();
  }

  /** All cookies as an object without prototype. */
  toObject(): Record<string, string> {
    const object = Object.create(null) as Record<string, string>;
    for (const [name, value] of this.byName) object[name] = value;
    return object;
  }
}

/**
 * Parses a `Cookie` field (RFC 6265bis), leniently: of a repeated name the first value counts, and quotes around a value are removed.
 *
 * A value is percent-decoded, because `setCookie` encodes it; a value that cannot be decoded is kept as received. Pairs without `=` or name, with
 * control characters or longer than 4 KiB are ignored, and so are all cookies after the 64th.
 */
export const parseCookies = (header: string | null): Cookies => {
  const cookies = new Map<string, string>();
  for (let start = 0; header !== null && start < header.length && cookies.size < MAX_COOKIES;) {
    const semicolon = header.indexOf(";", start);
    const end = semicolon === -1 ? header.length : semicolon;
    if (end - start <= MAX_COOKIE_LENGTH + 2) addPair(cookies, header.slice(start, end)); // 2: surrounding white space
    start = end + 1;
  }
  return new Cookies(cookies);
};

const addPair = (cookies: Map<string, string>, text: string): void => {
  const equals = text.indexOf("=");
  if (equals === -1) return;
  const name = trimBlanks(text.slice(0, equals));
  const value = trimBlanks(text.slice(equals + 1));
  if (name === "" || cookies.has(name) || name.length + value.length + 1 > MAX_COOKIE_LENGTH) return;
  if (!/\p{Cc}/u.test(name + value)) cookies.set(name, decode(unquote(value)));
};

const unquote = (value: string): string =>
  value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;

const decode = (value: string): string => {
  if (!value.includes("%")) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // not percent-encoded: the text is the value
  }
};
