import { loadWindow, textAt, windowMemory } from "../exchange/input-window.ts";
import type { RequestSource } from "../exchange/request-source.ts";
import { type JsonShape, type Member, shapeOf, type Token, tokenOf } from "./json-shape.ts";

/** Longest body in bytes that is read by its shape. */
export const MAX_SHAPED_BODY = 2048;

const window = new Uint8Array(windowMemory);
const view = new DataView(windowMemory);
const words = new Int32Array(windowMemory);

/** How sure a reader is that bodies repeat their shapes; each that does not costs four that do. */
const MOST_TRUST = 16;
const TRUST_LOST = 4;

/** Bodies that are left to the engine's parser when shapes do not repeat. */
const PAUSE = 250;

/** For a body that was not read by its shape, and needs the engine's parser: `undefined` is no JSON value. */
const unread = undefined;

/**
 * Reads the JSON bodies of one route, as `JSON.parse` does, but at half its cost: clients write the same keys in the same order, with other values. Only
 * bodies of ASCII without escapes are read, with the keys of the body before; for any other there is the engine's parser, which gives the next shape.
 * `docs/memos.md` has what it saves.
 */
export class JsonReader {
  private shape: JsonShape | null = null;
  private trust = MOST_TRUST;
  private pause = 0;

  /** The value of a complete body; `undefined` for one that has to be parsed, or is longer than `limit`. */
  read(source: Pick<RequestSource, "bodyLength" | "buffered" | "inWindow">, limit: number): unknown {
    const { shape } = this;
    const { bodyLength: length } = source;
    if (shape === null || length === null || length > limit || length > MAX_SHAPED_BODY) return unread;
    let start = source.inWindow === undefined ? -1 : source.inWindow();
    if (start === -1) {
      if (source.buffered === null) return unread;
      loadWindow(source.buffered, (start = 0), length);
    }
    const value = readValue(shape, start);
    if (end !== start + length) return unread;
    if (this.trust < MOST_TRUST) this.trust++;
    return value;
  }

  /** Takes the shape of a body that had to be parsed. */
  learn(value: unknown): void {
    if (this.pause > 0) return void this.pause--;
    if (this.shape !== null) this.trust -= TRUST_LOST;
    this.shape = this.trust > 0 ? shapeOf(value) : null;
    if (this.shape !== null) return;
    this.trust = MOST_TRUST;
    this.pause = PAUSE;
  }
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Digits that a number can have to be exact, whatever its decimal point. */
const EXACT_DIGITS = 15;
const powers = Array.from({ length: EXACT_DIGITS + 1 }, (_, digits) => Number(`1e${digits}`));

const trueText = tokenOf("true");
const falseText = tokenOf("false");
const nullText = tokenOf("null");

/** Where the value that was read last ends; `FAILED` when it must be parsed. Costs less than an object of each reading, which calls nothing of a program. */
let end = 0;
const FAILED = -1;

const fail = (): undefined => {
  end = FAILED;
  return unread;
};

const readObject = ({ members, template }: JsonShape, start: number): unknown => {
  if (window[start] !== OPEN) return fail();
  const object: Record<string, unknown> = { ...template };
  let at = start;
  for (let index = 0; index < members.length; index++) {
    if (index > 0 && window[at] !== COMMA) return fail();
    const { key, token, value } = members[index] as Member;
    const name = blanksEnd(at + 1);
    if (!isAt(token, name)) return fail();
    object[key] = readValue(value, blanksEnd(name + token.length));
    if (end === FAILED) return unread;
    at = end;
  }
  if (members.length === 0) at++;
  if (window[at] !== CLOSE) return fail();
  end = at + 1;
  return object;
};

const readArray = (item: JsonShape | null, start: number): unknown => {
  if (window[start] !== OPEN_LIST) return fail();
  const list: unknown[] = [];
  if (window[start + 1] === CLOSE_LIST) {
    end = start + 2;
    return list;
  }
  for (let at = start; ; at = end) {
    list.push(readValue(item, blanksEnd(at + 1)));
    if (end === FAILED) return unread;
    const next = window[end];
    if (next === COMMA) continue;
    if (next !== CLOSE_LIST) return fail();
    end++;
    return list;
  }
};

const readValue = (shape: JsonShape | null, at: number): unknown => {
  const first = window[at] as number;
  if (first === QUOTE) return readString(at + 1);
  if (shape !== null) return shape.isArray ? readArray(shape.item, at) : readObject(shape, at);
  if (first === MINUS) {
    const number = readNumber(at + 1);
    return number === unread ? unread : -number;
  }
  if (first < 0x3a) return readNumber(at);
  if (isAt(trueText, at)) return literal(true, at + 4);
  if (isAt(falseText, at)) return literal(false, at + 5);
  return isAt(nullText, at) ? literal(null, at + 4) : fail();
};

const literal = <T>(value: T, at: number): T => {
  end = at;
  return value;
};

const readString = (start: number): string | undefined => {
  let at = start;
  while ((at & 3) !== 0 && isPlainByte(window[at] as number)) at++;
  if ((at & 3) === 0) {
    while (isPlain(words[at >> 2] as number)) at += 4;
    while (isPlainByte(window[at] as number)) at++;
  }
  if (window[at] !== QUOTE) return fail();
  end = at + 1;
  return textAt(start, at);
};

/** For each byte, whether it stands for itself in a string. */
const plainBytes: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH && byte <= 0x7f ? 1 : 0,
);

const isPlainByte = (byte: number): boolean => plainBytes[byte] === 1;

/**
 * Whether four bytes are ASCII without control characters, quotes and backslashes, by arithmetic on all at once: a byte below a blank borrows its highest
 * bit, and so does one that equals another, less one. A borrow may miss plain bytes, never accept others. At the NUL behind the body it ends.
 */
const isPlain = (four: number): boolean =>
  (((four - 0x20202020) | ((four ^ 0x22222222) - 0x01010101) | ((four ^ 0x5c5c5c5c) - 0x01010101) | four) &
    0x80808080) ===
  0;

/** A number without an exponent, of so few digits that their whole number and its quotient by a power of ten are exact as the parser's. */
const readNumber = (start: number): number | undefined => {
  let value = 0;
  let at = start;
  for (; ; at++) {
    const digit = (window[at] as number) - ZERO;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  if (at === start || at - start > EXACT_DIGITS || (window[start] === ZERO && at - start > 1)) return fail();
  if (window[at] === POINT) return readFraction(value, at, EXACT_DIGITS - at + start);
  if (!isEnd(window[at] as number)) return fail();
  end = at;
  return value;
};

const readFraction = (whole: number, point: number, most: number): number | undefined => {
  let value = whole;
  let at = point + 1;
  for (; ; at++) {
    const digit = (window[at] as number) - ZERO;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  const digits = at - point - 1;
  if (digits === 0 || digits > most || !isEnd(window[at] as number)) return fail();
  end = at;
  return value / (powers[digits] as number);
};

const isEnd = (byte: number): boolean => byte === COMMA || byte === CLOSE || byte === CLOSE_LIST;

const isAt = ({ first, fours, end: ending, last }: Token, at: number): boolean => {
  if (view.getInt32(at, true) !== first || view.getInt32(at + last, true) !== ending) return false;
  for (let index = 0; index < fours.length; index++) {
    if (view.getInt32(at + 4 * index + 4, true) !== fours[index]) return false;
  }
  return true;
};

const blanksEnd = (start: number): number => {
  let at = start;
  while (window[at] === SPACE) at++;
  return at;
};
