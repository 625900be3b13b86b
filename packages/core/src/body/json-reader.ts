import { loadWindow, lowestIn, textAt, WINDOW_SIZE, windowMemory } from "../exchange/input-window.ts";
import type { RequestSource } from "../exchange/request-source.ts";
import { isAt, type Token, tokenOf } from "../exchange/window-token.ts";
import { type JsonShape, type Member, shapeOf } from "./json-shape.ts";

/** Longest body in bytes that is read by its shape. */
export const MAX_SHAPED_BODY = 2048;

const window = new Uint8Array(windowMemory);
const view = new DataView(windowMemory);

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

/** Offset of a NUL, where no value is: behind the longest body. */
const nowhere = WINDOW_SIZE + 64;

const fail = (): undefined => {
  end = FAILED;
  return unread;
};

const readObject = ({ members, template }: JsonShape, start: number): unknown => {
  if (window[start] !== OPEN) return fail();
  const object: Record<string, unknown> = { ...template };
  let at = start;
  for (let index = 0; index < members.length; index++) {
    const member = members[index] as Member;
    const valueStart = isAt(member.token, at)
      ? at + member.token.length
      : looseNameEnd(member.name, at, start);
    object[member.key] = readValue(member.value, blanksEnd(valueStart));
    if (end === FAILED) return unread;
    at = end;
  }
  if (members.length === 0) at++;
  if (window[at] !== CLOSE) return fail();
  end = at + 1;
  return object;
};

/** Where the value of a member begins, whose name has blanks before it; somewhere without a value if it is another member. */
const looseNameEnd = (name: Token, at: number, start: number): number => {
  const nameStart = blanksEnd(at + 1);
  const isNext = (at === start || window[at] === COMMA) && isAt(name, nameStart);
  return isNext ? nameStart + name.length : nowhere;
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
  let ends = specialIn(view.getInt32(at, true));
  while (ends === 0) ends = specialIn(view.getInt32((at += 4), true));
  at += lowestIn(ends);
  if (window[at] !== QUOTE) return fail();
  end = at + 1;
  return textAt(start, at);
};

/**
 * The highest bits of the bytes among four that may not stand for themselves in a string: controls, quotes, backslashes, and those beyond ASCII. By
 * arithmetic on all at once: a byte below a blank borrows its highest bit, and so does one that equals another, less one. A borrow reaches only
 * bytes above, so that the lowest one found is exact. At the NUL behind the body there is one.
 */
const specialIn = (four: number): number =>
  ((four - 0x20202020) | ((four ^ 0x22222222) - 0x01010101) | ((four ^ 0x5c5c5c5c) - 0x01010101) | four) &
  0x80808080;

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

const blanksEnd = (start: number): number => {
  let at = start;
  while (window[at] === SPACE) at++;
  return at;
};
