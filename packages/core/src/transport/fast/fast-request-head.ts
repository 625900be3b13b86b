import type { LimitsConfig } from "../../config/limits-config.ts";
import { controlFrom, loadWords } from "./byte-words.ts";
import type { CachedHead } from "./fast-cached-head.ts";
import type { FastHead } from "./fast-head.ts";

/** The bytes are a valid start of an ordinary request, whose head is incomplete. */
export const INCOMPLETE = -1;
/** The message is not an ordinary request, or not certainly valid: `node:http` has to parse it. */
export const UNSUPPORTED = -2;

/** Largest body in bytes that the fast path buffers; a message with a larger one is `UNSUPPORTED`. */
export const MAX_FAST_BODY = 65_536;

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;
const SLASH = 0x2f;

const TOKEN = 1;
const TARGET = 2;

/** For each byte, the parts of a head in which it may occur. */
const classes: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const visible = byte > SPACE && byte < 0x7f;
  return (
    (/[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte)) ? TOKEN : 0) |
    (visible && byte !== 0x23 ? TARGET : 0)
  );
});

/** As bytes: V8 looks up the representation of a string for each of its characters. */
const methods = ["GET", "POST", "PUT", "HEAD", "DELETE", "PATCH", "OPTIONS"].map((name) => ({
  name,
  bytes: Uint8Array.from(Buffer.from(name)),
}));
const VERSION: Uint8Array = Uint8Array.from(Buffer.from(" HTTP/1.1\r\n"));

const HOST = 1;
const CONTENT_LENGTH = 2;
const CONNECTION = 4;

/**
 * Parses the head of an ordinary request: HTTP/1.1, a common method, a path, one Host, no body or a short one of known length, and no
 * `Connection` but `close` or `keep-alive`. Returns the end of the head, `INCOMPLETE` or `UNSUPPORTED`.
 *
 * `readHead` accepts every head that this accepts, with the same result; only the syntax of Host is left to the caller. Nothing is
 * repaired: any irregularity is `UNSUPPORTED`.
 *
 * @param cached a head parsed before under the same limits; bytes equal to it are not parsed again
 */
export const readFastHead = (
  bytes: Buffer,
  start: number,
  limits: LimitsConfig,
  head: FastHead,
  cached: CachedHead | null = null,
): number => {
  let at = cached === null ? -1 : cached.readLine(bytes, start, head);
  head.lineCached = at >= 0;
  if (!head.lineCached) at = readLine(bytes, start, limits, head);
  if (at < 0) return at;
  head.fieldsStart = at;
  const end = cached === null ? -1 : cached.readFields(bytes, at, head);
  head.fieldsCached = end >= 0;
  return head.fieldsCached ? end : readFields(bytes, at, limits, head);
};

const readLine = (bytes: Uint8Array, start: number, limits: LimitsConfig, head: FastHead): number => {
  let at = readMethod(bytes, start, head);
  if (at < 0) return at;
  at = readTarget(bytes, at, start + limits.maxRequestLine - (VERSION.length - 2), head);
  return at < 0 ? at : expectText(bytes, at, VERSION);
};

const readMethod = (bytes: Uint8Array, start: number, head: FastHead): number => {
  const first = bytes[start];
  for (let index = 0; index < methods.length; index++) {
    const method = methods[index] as (typeof methods)[number];
    if (method.bytes[0] !== first) continue;
    const at = expectText(bytes, start, method.bytes);
    if (at === UNSUPPORTED) continue; // POST, PUT and PATCH share their first letter
    if (at === INCOMPLETE || at === bytes.length) return INCOMPLETE;
    head.method = method.name;
    return bytes[at] === SPACE ? at + 1 : UNSUPPORTED;
  }
  return start === bytes.length ? INCOMPLETE : UNSUPPORTED;
};

const readTarget = (bytes: Uint8Array, start: number, limit: number, head: FastHead): number => {
  const { length } = bytes;
  if (start === length) return INCOMPLETE;
  if (bytes[start] !== SLASH) return UNSUPPORTED;
  let at = start + 1;
  while (at < length && ((classes[bytes[at] as number] as number) & TARGET) !== 0) at++;
  if (at > limit) return UNSUPPORTED;
  head.targetStart = start;
  head.targetEnd = at;
  return at === length ? INCOMPLETE : at;
};

const expectText = (bytes: Uint8Array, start: number, text: Uint8Array): number => {
  const { length } = bytes;
  for (let index = 0; index < text.length; index++) {
    if (start + index === length) return INCOMPLETE;
    if (bytes[start + index] !== text[index]) return UNSUPPORTED;
  }
  return start + text.length;
};

const readFields = (bytes: Uint8Array, start: number, limits: LimitsConfig, head: FastHead): number => {
  const { length } = bytes;
  head.bodyLength = 0;
  head.last = false;
  loadWords(bytes);
  let seen = 0;
  let at = start;
  for (let count = 0; ; count++) {
    // `readHead` counts a blank after each colon, present or not; so does this.
    if (count > limits.maxHeaderFields || at - start + count > limits.maxHeaderBytes) return UNSUPPORTED;
    if (at === length) return INCOMPLETE;
    if (bytes[at] === CR) break;
    const colon = tokenEnd(bytes, at);
    if (colon === length) return undecided(colon - start, limits);
    if (colon === at || bytes[colon] !== COLON) return UNSUPPORTED;
    const valueStart = blanksEnd(bytes, colon + 1);
    const valueEnd = controlFrom(bytes, valueStart);
    const next = lineEnd(bytes, valueEnd);
    if (next < 0) return next === INCOMPLETE ? undecided(valueEnd - start, limits) : UNSUPPORTED;
    seen = watch(bytes, at, colon, valueStart, valueEnd, seen, head);
    if (seen < 0) return UNSUPPORTED;
    at = next;
  }
  head.fieldsEnd = at;
  at = lineEnd(bytes, at);
  if (at < 0) return at;
  head.bodyStart = at;
  return (seen & HOST) === 0 ? UNSUPPORTED : at;
};

const undecided = (size: number, { maxHeaderBytes }: LimitsConfig): number =>
  size > maxHeaderBytes ? UNSUPPORTED : INCOMPLETE;

const tokenEnd = (bytes: Uint8Array, start: number): number => {
  const { length } = bytes;
  let at = start;
  while (at < length && ((classes[bytes[at] as number] as number) & TOKEN) !== 0) at++;
  return at;
};

const blanksEnd = (bytes: Uint8Array, start: number): number => {
  const { length } = bytes;
  let at = start;
  while (at < length && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
  return at;
};

const lineEnd = (bytes: Uint8Array, at: number): number => {
  if (at === bytes.length) return INCOMPLETE;
  if (bytes[at] !== CR) return UNSUPPORTED;
  if (at + 1 === bytes.length) return INCOMPLETE;
  return bytes[at + 1] === LF ? at + 2 : UNSUPPORTED;
};

/** Checks the fields that decide framing and persistence, and those that must not be repeated; returns the bits of the fields seen so far. */
const watch = (
  bytes: Uint8Array,
  start: number,
  colon: number,
  valueStart: number,
  valueEnd: number,
  seen: number,
  head: FastHead,
): number => {
  switch (colon - start) {
    case 4:
      if (!isWord(bytes, start, "host")) return seen;
      if (endsBlank(bytes, valueStart, valueEnd)) return UNSUPPORTED;
      head.hostStart = valueStart;
      head.hostEnd = valueEnd;
      return once(seen, HOST);
    case 14:
      if (!isWord(bytes, start, "content-length")) return seen;
      head.bodyLength = readLength(bytes, valueStart, valueEnd);
      return head.bodyLength < 0 ? UNSUPPORTED : once(seen, CONTENT_LENGTH);
    case 10:
      if (!isWord(bytes, start, "connection")) return seen;
      if (valueEnd - valueStart === 10 && isWord(bytes, valueStart, "keep-alive"))
        return once(seen, CONNECTION);
      head.last = valueEnd - valueStart === 5 && isWord(bytes, valueStart, "close");
      return head.last ? once(seen, CONNECTION) : UNSUPPORTED;
    case 5:
      return isWord(bytes, start, "range") ? once(seen, 8) : seen;
    case 6:
      if (isWord(bytes, start, "origin")) return once(seen, 16);
      return isWord(bytes, start, "expect") ? UNSUPPORTED : seen;
    case 7:
      return isWord(bytes, start, "upgrade") ? UNSUPPORTED : seen;
    case 8:
      return isWord(bytes, start, "if-range") ? once(seen, 32) : seen;
    case 12:
      return isWord(bytes, start, "content-type") ? once(seen, 64) : seen;
    case 13:
      return isWord(bytes, start, "authorization") ? once(seen, 128) : seen;
    case 16:
      return isWord(bytes, start, "proxy-connection") ? UNSUPPORTED : seen;
    case 17:
      return isWord(bytes, start, "transfer-encoding") ? UNSUPPORTED : seen;
    default:
      return seen;
  }
};

const once = (seen: number, bit: number): number => ((seen & bit) === 0 ? seen | bit : UNSUPPORTED);

/** Compares with a lower-case word in any case. `| 0x20` is exact here, because only token and value bytes are compared. */
const isWord = (bytes: Uint8Array, start: number, word: string): boolean => {
  for (let index = 0; index < word.length; index++) {
    if (((bytes[start + index] as number) | 0x20) !== word.charCodeAt(index)) return false;
  }
  return true;
};

const endsBlank = (bytes: Uint8Array, start: number, end: number): boolean =>
  end > start && (bytes[end - 1] === SPACE || bytes[end - 1] === TAB);

/** Parses a Content-Length of up to five digits. */
const readLength = (bytes: Uint8Array, start: number, end: number): number => {
  if (end === start || end - start > 5) return UNSUPPORTED;
  let length = 0;
  for (let at = start; at < end; at++) {
    const digit = (bytes[at] as number) - 0x30;
    if (digit < 0 || digit > 9) return UNSUPPORTED;
    length = length * 10 + digit;
  }
  return length > MAX_FAST_BODY ? UNSUPPORTED : length;
};
