/** Directives of a `Cache-Control` field: lower-case names and their arguments, empty without one. */
export type Directives = ReadonlyMap<string, string>;

const none: Directives = new Map();
/** Stands for a directive that was given twice with two values. */
const contradiction = "?";
/** The longest time that RFC 9111 1.2.2 asks caches to know. */
const maxSeconds = 2_147_483_648;
/** One list element: anything up to a comma that does not stand between quotes. */
const element = /(?:[^",]|"(?:[^"\\]|\\[^])*"?)+/g;
const directive = /^([^\s=]+)(?:=(?:"([^"]*)"|([^\s"]*))$)?/;

/** Reads a `Cache-Control` field (RFC 9111 5.2). */
export const parseCacheControl = (field: string | null): Directives => {
  if (field === null) return none;
  const directives = new Map<string, string>();
  for (const text of field.match(element) ?? []) {
    const found = directive.exec(text.trim());
    if (found === null) continue;
    const [whole, name = "", quoted, bare] = found;
    const value = quoted ?? bare ?? (whole.length === text.trim().length ? "" : contradiction);
    const key = name.toLowerCase();
    const present = directives.get(key);
    directives.set(key, present === undefined || present === value ? value : contradiction);
  }
  return directives;
};

/**
 * Seconds that a directive gives: `null` when it is absent, 0 when it is malformed or was given twice with two values, so that doubt makes a reply
 * stale (RFC 9111 4.2.1).
 */
export const secondsOf = (directives: Directives, name: string): number | null => {
  const value = directives.get(name);
  return value === undefined ? null : (wholeSeconds(value) ?? 0);
};

/** Digits as seconds, `null` for anything else. */
export const wholeSeconds = (text: string): number | null =>
  /^\d+$/.test(text) ? Math.min(Number(text), maxSeconds) : null;
