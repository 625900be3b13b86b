import type { LimitsConfig } from "../../config/limits-config.ts";
import * as inputWindow from "../../exchange/input-window.ts";
import type { FastHead } from "./fast-head.ts";
import * as headLines from "./head-lines.ts";
import * as headWindow from "./head-window.ts";
import * as headWords from "./head-words.ts";

// V8 checks an imported binding before each call, but not a constant of the module: this saves 300 instructions per head.
const { blanksEnd, byteAt, fourAt, fourOf, isBlank, loadWindow, lowerFourAt, matchLength } = headWindow;
const { LONG_WINDOW, plainEnd, SHORT_WINDOW, targetEnd, textEnd, tokenEnd } = headWindow;
const { lastLoad } = inputWindow;
const { recordLine } = headLines;
const { host, isConnection, isContentLength, isContentType, isJson, isKeepAlive, isWord } = headWords;
const { authorization, close, expect, ifRange, origin, proxyConnection, range, transferEncoding, upgrade } =
  headWords;

/** Result for the valid start of an ordinary request whose head is incomplete. */
export const INCOMPLETE = -1;
/** Result for a message that is not an ordinary request or may be invalid: `node:http` has to parse it. */
export const UNSUPPORTED = -2;

/** Largest body in bytes that the fast path buffers; a message with a larger one is `UNSUPPORTED`. */
export const MAX_FAST_BODY = 65_536;

const CR = 0x0d;
const LF = 0x0a;
const COLON = 0x3a;
const SLASH = 0x2f;
const SPACE = 0x20;

const commonMethods = ["GET", "POST", "PUT", "HEAD", "DELETE", "PATCH", "OPTIONS"];
const VERSION = " HTTP/1.1\r\n";

const get = fourOf("GET ");
const post = fourOf("POST");
const versionStart = fourOf(VERSION);
const versionMiddle = fourOf(VERSION, 4);
const versionEnd = fourOf(VERSION, 7);

const HOST = 1;
const CONTENT_LENGTH = 2;
const CONNECTION = 4;

/**
 * Parses the head of an ordinary request: HTTP/1.1, a common method, a path, one Host, no body or a short one of known length, and no
 * `Connection` but `close` or `keep-alive`. Returns the end of the head, `INCOMPLETE` or `UNSUPPORTED`.
 *
 * `readHead` accepts every head that this accepts, with the same result; only the syntax of Host is left to the caller. Nothing is
 * repaired: any irregularity is `UNSUPPORTED`.
 */
export const readFastHead = (bytes: Buffer, start: number, limits: LimitsConfig, head: FastHead): number => {
  const length = bytes.length - start;
  let loaded = loadWindow(bytes, start, SHORT_WINDOW);
  let end = readWindow(loaded, limits, head);
  if (end === INCOMPLETE && length > loaded) {
    loaded = loadWindow(bytes, start, LONG_WINDOW);
    end = readWindow(loaded, limits, head);
    if (end === INCOMPLETE && loaded === LONG_WINDOW) return UNSUPPORTED;
  }
  if (end < 0 || start === 0) return end;
  head.targetStart += start;
  head.targetEnd += start;
  head.fieldsStart += start;
  head.fieldsEnd += start;
  head.hostStart += start;
  head.hostEnd += start;
  head.bodyStart += start;
  return head.bodyStart;
};

const readWindow = (end: number, limits: LimitsConfig, head: FastHead): number => {
  const start = readMethod(end, head);
  if (start < 0) return start;
  let at = plainEnd(start);
  head.isPlain = byteAt(at) === SPACE;
  if (!head.isPlain) at = targetEnd(at);
  if (at > limits.maxRequestLine - (VERSION.length - 2)) return UNSUPPORTED;
  if (fourAt(at) !== versionStart || fourAt(at + 4) !== versionMiddle || fourAt(at + 7) !== versionEnd)
    return at + matchLength(at, VERSION) === end ? INCOMPLETE : UNSUPPORTED;
  head.targetStart = start;
  head.targetEnd = at;
  head.fieldsStart = at + VERSION.length;
  return readFields(end, limits, head);
};

/** Returns the offset of the target. */
const readMethod = (end: number, head: FastHead): number => {
  const first = fourAt(0);
  if (first === get && byteAt(4) === SLASH) {
    head.method = "GET";
    return 4;
  }
  if (first === post && byteAt(4) === SPACE && byteAt(5) === SLASH) {
    head.method = "POST";
    return 5;
  }
  for (const method of commonMethods) {
    const count = matchLength(0, `${method} /`);
    if (count === end) return INCOMPLETE;
    if (count < method.length + 2) continue;
    head.method = method;
    return count - 1;
  }
  return UNSUPPORTED;
};

const readFields = (end: number, limits: LimitsConfig, head: FastHead): number => {
  const start = head.fieldsStart;
  head.bodyLength = 0;
  head.last = false;
  head.isJson = false;
  let seen = 0;
  let at = start;
  for (let count = 0; ; count++) {
    // `readHead` counts a blank after each colon, present or not. One byte more for each field accepts no head that `readHead` rejects.
    if (count > limits.maxHeaderFields || at - start + count > limits.maxHeaderBytes) return UNSUPPORTED;
    recordLine(count, at);
    if (byteAt(at) === CR) break;
    const colon = tokenEnd(at);
    if (colon === at || byteAt(colon) !== COLON) return resultForUnexpected(colon, end, start, limits);
    const valueStart = blanksEnd(colon + 1);
    const valueEnd = textEnd(valueStart);
    if (byteAt(valueEnd) !== CR || byteAt(valueEnd + 1) !== LF) {
      const stop = byteAt(valueEnd) === CR ? valueEnd + 1 : valueEnd;
      return resultForUnexpected(stop, end, start, limits);
    }
    seen = checkField(at, colon, valueStart, valueEnd, seen, head);
    if (seen < 0) return UNSUPPORTED;
    at = valueEnd + 2;
  }
  head.fieldsEnd = at;
  if (byteAt(at + 1) !== LF) return at + 1 === end ? INCOMPLETE : UNSUPPORTED;
  head.bodyStart = at + 2;
  head.load = lastLoad();
  return (seen & HOST) === 0 ? UNSUPPORTED : head.bodyStart;
};

/** Returns the result for a head with an unexpected byte at `at`: the head may only be incomplete. */
const resultForUnexpected = (
  at: number,
  end: number,
  start: number,
  { maxHeaderBytes }: LimitsConfig,
): number => (at < end || at - start > maxHeaderBytes ? UNSUPPORTED : INCOMPLETE);

/** Checks fields that determine framing and persistence, and fields that must not be repeated. Returns the bits of the fields seen so far. */
const checkField = (
  start: number,
  colon: number,
  valueStart: number,
  valueEnd: number,
  seen: number,
  head: FastHead,
): number => {
  switch (colon - start) {
    case 4:
      if (lowerFourAt(start) !== host) return seen;
      if (valueEnd > valueStart && isBlank(byteAt(valueEnd - 1))) return UNSUPPORTED;
      head.hostStart = valueStart;
      head.hostEnd = valueEnd;
      return once(seen, HOST);
    case 14:
      if (!isContentLength(start)) return seen;
      head.bodyLength = readLength(valueStart, valueEnd);
      return head.bodyLength < 0 ? UNSUPPORTED : once(seen, CONTENT_LENGTH);
    case 10:
      if (!isConnection(start)) return seen;
      if (valueEnd - valueStart === 10 && isKeepAlive(valueStart)) return once(seen, CONNECTION);
      head.last = valueEnd - valueStart === 5 && isWord(valueStart, close);
      return head.last ? once(seen, CONNECTION) : UNSUPPORTED;
    case 12:
      if (!isContentType(start)) return seen;
      head.isJson = valueEnd - valueStart === 16 && isJson(valueStart);
      return once(seen, 64);
    default:
      return checkRareField(start, colon, seen);
  }
};

/** Like `checkField` for rare fields. A separate function, so that V8 inlines the common comparisons into `checkField`. */
const checkRareField = (start: number, colon: number, seen: number): number => {
  switch (colon - start) {
    case 5:
      return isWord(start, range) ? once(seen, 8) : seen;
    case 6:
      if (isWord(start, origin)) return once(seen, 16);
      return isWord(start, expect) ? UNSUPPORTED : seen;
    case 7:
      return isWord(start, upgrade) ? UNSUPPORTED : seen;
    case 8:
      return isWord(start, ifRange) ? once(seen, 32) : seen;
    case 13:
      return isWord(start, authorization) ? once(seen, 128) : seen;
    case 16:
      return isWord(start, proxyConnection) ? UNSUPPORTED : seen;
    case 17:
      return isWord(start, transferEncoding) ? UNSUPPORTED : seen;
    default:
      return seen;
  }
};

const once = (seen: number, bit: number): number => ((seen & bit) === 0 ? seen | bit : UNSUPPORTED);

/** Parses a Content-Length of up to five digits. */
const readLength = (start: number, end: number): number => {
  if (end === start || end - start > 5) return UNSUPPORTED;
  let length = 0;
  for (let at = start; at < end; at++) {
    const digit = byteAt(at) - 0x30;
    if (digit < 0 || digit > 9) return UNSUPPORTED;
    length = length * 10 + digit;
  }
  return length > MAX_FAST_BODY ? UNSUPPORTED : length;
};
