/** Directives of a `Cache-Control` field: lower-case names to arguments, `""` for a directive without one. */
export type Directives = ReadonlyMap<string, string>;

const none: Directives = new Map();
/** Value of a directive whose argument is malformed, or that is repeated with different arguments. */
const CONTRADICTION = "?";
/** Upper bound of delta-seconds (RFC 9111 1.2.2). */
const MAX_SECONDS = 2_147_483_648;
/** A list element: everything up to a comma outside quotes. */
const ELEMENT = /(?:[^",]|"(?:[^"\\]|\\[^])*"?)+/g;
const DIRECTIVE = /^([^\s=]+)(?:=(?:"([^"]*)"|([^\s"]*))$)?/;

/** Directives that allow shared caches to store a reply, or that withhold only part of it from them. */
const replacedByPrivate: ReadonlySet<string> = new Set(["private", "public", "s-maxage"]);

/** Returns a `Cache-Control` field with `private`, so that shared caches do not store the reply (RFC 9111 5.2.2.7). Removes `public` and `s-maxage`. */
export const privateField = (field: string | null): string => {
  const others = (field?.match(ELEMENT) ?? [])
    .map((text) => text.trim())
    .filter((text) => text !== "" && !replacedByPrivate.has(nameOf(text)));
  return ["private", ...others].join(", ");
};

const nameOf = (directive: string): string => (DIRECTIVE.exec(directive)?.[1] ?? "").toLowerCase();

/** Parses a `Cache-Control` field (RFC 9111 5.2). */
export const parseCacheControl = (field: string | null): Directives => {
  if (field === null) return none;
  const directives = new Map<string, string>();
  for (const text of field.match(ELEMENT) ?? []) {
    const found = DIRECTIVE.exec(text.trim());
    if (found === null) continue;
    const [whole, name = "", quoted, bare] = found;
    const value = quoted ?? bare ?? (whole.length === text.trim().length ? "" : CONTRADICTION);
    const key = name.toLowerCase();
    const present = directives.get(key);
    directives.set(key, present === undefined || present === value ? value : CONTRADICTION);
  }
  return directives;
};

/**
 * Returns the argument of a directive in seconds, `null` if absent. Malformed or contradictory arguments count as 0, which makes a reply stale
 * (RFC 9111 4.2.1).
 */
export const secondsOf = (directives: Directives, name: string): number | null => {
  const value = directives.get(name);
  return value === undefined ? null : (wholeSeconds(value) ?? 0);
};

/** Parses delta-seconds; `null` if malformed. */
export const wholeSeconds = (text: string): number | null =>
  /^\d+$/.test(text) ? Math.min(Number(text), MAX_SECONDS) : null;
