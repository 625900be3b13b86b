import { HttpError } from "../errors/http-error.ts";
import { ValueError } from "../errors/http-errors.ts";

/** A parsed request target: the path that router, guards, prefixes, labels and logs all use, and the raw query. */
export interface CanonicalTarget {
  /**
   * The decoded segments joined with `/`. Only `%`, `/`, `?` and `#` inside a segment stay escaped (`%25`, `%2F`, `%3F`, `%23`), so that
   * two targets have the same path exactly when they have the same segments.
   */
  readonly path: string;
  /** The raw query after the first `?`; empty without one. */
  readonly search: string;
}

/** Maximum length of a raw path, including its first `/`. */
const MAX_PATH_LENGTH = 8192;

/** Maximum number of segments; `/a/b/` has three, the last one empty. */
export const MAX_SEGMENTS = 64;

const HASH = 0x23;
const PERCENT = 0x25;
const DOT = 0x2e;
const SLASH = 0x2f;
const QUESTION = 0x3f;

/**
 * Parses an origin-form target (RFC 9112 3.2.1) into its canonical path: split at `/` first, then each segment percent-decoded once.
 *
 * `//`, case and a trailing slash are significant; none of them is normalised.
 *
 * @throws ValueError (400) for a target without a leading `/`, bad escapes, invalid UTF-8, control characters, raw characters outside visible ASCII, `.` and
 * `..` segments in any encoding, a fragment, and a path over 64 segments; HttpError 414 for a path over 8 KiB
 */
export const canonicalise = (target: string): CanonicalTarget => {
  if (target.charCodeAt(0) !== SLASH) throw new ValueError("The request target must start with /");
  const limit = Math.min(target.length, MAX_PATH_LENGTH + 1);
  let segments = 0;
  let escaped = false;
  let end = 0;
  for (; end < limit; end++) {
    const code = target.charCodeAt(end);
    if (code > SLASH) {
      if (code === QUESTION) break;
      if (code > 0x7e) throw notVisible("path");
    } else if (code === SLASH) {
      segments++;
      if (target.charCodeAt(end + 1) === DOT) refuseDotSegment(target, end + 1);
    } else if (code === PERCENT) escaped = true;
    else if (code <= 0x20) throw notVisible("path");
    else if (code === HASH) throw fragment();
  }
  if (end > MAX_PATH_LENGTH) throw new HttpError(414, `The path is longer than ${MAX_PATH_LENGTH} bytes`);
  if (segments > MAX_SEGMENTS) throw new ValueError(`The path has more than ${MAX_SEGMENTS} segments`);
  const raw = end === target.length ? target : target.slice(0, end);
  return { path: escaped ? decodePath(raw) : raw, search: searchFrom(target, end + 1) };
};

/**
 * Whether a canonical path is `prefix` or below it: `/health` covers `/health/live`, not `/healthz`.
 *
 * A prefix that ends in `/` covers only itself, and an empty prefix covers nothing, so a typo cannot cover a whole site.
 */
export const isUnder = (path: string, prefix: string): boolean => {
  if (path.length === prefix.length) return path === prefix;
  const last = prefix.charCodeAt(prefix.length - 1);
  return last >= 0 && last !== SLASH && path.charCodeAt(prefix.length) === SLASH && path.startsWith(prefix);
};

/** Returns the decoded segments of a canonical path; a `/` inside one was sent as `%2F`. */
export const pathSegments = (path: string): string[] => path.slice(1).split("/").map(segmentText);

/** Encodes a canonical path for a `Location` field or a link. */
export const encodePath = (path: string): string =>
  path.replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text));

/** Decodes one or more segments of a canonical path. */
export const segmentText = (spelling: string): string =>
  spelling.includes("%") ? decodeURIComponent(spelling) : spelling;

/** Encodes decoded text as a segment of a canonical path. */
export const segmentSpelling = (text: string): string =>
  text.replace(/[#%/?]/g, (character) => encodeURIComponent(character));

/** Whether decoded text contains a control character (C0, DEL, C1), which paths must not contain. */
export const hasControl = (text: string): boolean => /\p{Cc}/u.test(text);

/** Whether a decoded segment is `.` or `..`, which clients resolve before sending (RFC 3986 5.2.4). */
export const isDotSegment = (text: string): boolean => text === "." || text === "..";

const decodePath = (raw: string): string => raw.split("/").map(decodeSegment).join("/");

const decodeSegment = (raw: string): string => {
  if (!raw.includes("%")) return raw;
  const text = percentDecode(raw);
  if (isDotSegment(text)) throw dotSegment();
  if (hasControl(text)) throw new ValueError("The path contains an escaped control character");
  return segmentSpelling(text);
};

const percentDecode = (raw: string): string => {
  try {
    return decodeURIComponent(raw);
  } catch (cause) {
    const bad = /%(?![0-9a-f]{2})/i.test(raw);
    throw new ValueError(
      bad
        ? "The path contains a % without two hexadecimal digits"
        : "The escapes in the path are not valid UTF-8",
      { cause },
    );
  }
};

const refuseDotSegment = (target: string, start: number): void => {
  const after = target.charCodeAt(start + 1) === DOT ? start + 2 : start + 1;
  const code = target.charCodeAt(after);
  if (after === target.length || code === SLASH || code === QUESTION || code === HASH) throw dotSegment();
};

const searchFrom = (target: string, start: number): string => {
  for (let index = start; index < target.length; index++) {
    const code = target.charCodeAt(index);
    if (code === HASH) throw fragment();
    if (code <= 0x20 || code > 0x7e) throw notVisible("query");
  }
  return start < target.length ? target.slice(start) : "";
};

const notVisible = (part: string): ValueError =>
  new ValueError(`The ${part} contains a character that must be percent-encoded`);

const fragment = (): ValueError => new ValueError("The request target contains a fragment (#)");

const dotSegment = (): ValueError => new ValueError("The path contains a . or .. segment");
