import { loadWindow, lowestIn, textAt, WINDOW_SIZE, windowMemory } from "../exchange/input-window.ts";
import type { RequestSource } from "../exchange/request-source.ts";
import { isAt, type Token, tokenOf } from "../exchange/window-token.ts";
import { type JsonShape, type Member, shapeOf } from "./json-shape.ts";

/** Maximum length in bytes of a body that is read by its shape. */
export const MAX_SHAPED_BODY = 2048;

const window = new Uint8Array(windowMemory);
const view = new DataView(windowMemory);

/** Confidence of a reader that bodies repeat their shape: a miss lowers it by as much as four hits raise it. */
const MAX_CONFIDENCE = 16;
const MISS_PENALTY = 4;

/** Number of bodies left to `JSON.parse` after too many misses, before the next shape is learned. */
const SKIPPED_BODIES = 250;

/** Result for a body that must be parsed with `JSON.parse`: `undefined` is not a JSON value. */
const notRead = undefined;

/**
 * Reads the JSON bodies of one route with the results of `JSON.parse`, but faster: clients write the same keys in the same order, with other values. It reads
 * only ASCII without escapes, numbers of up to 15 digits without an exponent, and the keys of the learned shape. `JSON.parse` parses any other body, whose
 * result is the next shape. See `docs/memos.md` for the savings.
 */
export class JsonReader {
  private shape: JsonShape | null = null;
  private confidence = MAX_CONFIDENCE;
  private skips = 0;

  /** Returns the value of a complete body; `undefined` if it must be parsed, or is longer than `limit`. */
  read(source: Pick<RequestSource, "bodyLength" | "buffered" | "inWindow">, limit: number): unknown {
    const { shape } = this;
    const { bodyLength: length } = source;
    if (shape === null || length === null || length > limit || length > MAX_SHAPED_BODY) return notRead;
    let start = source.inWindow === undefined ? -1 : source.inWindow();
    if (start === -1) {
      if (source.buffered === null) return notRead;
      loadWindow(source.buffered, (start = 0), length);
    }
    const value = readValue(shape, start);
    if (end !== start + length) return notRead;
    if (this.confidence < MAX_CONFIDENCE) this.confidence++;
    return value;
  }

  /** Learns the shape of a body that had to be parsed. */
  learn(value: unknown): void {
    if (this.skips > 0) return void this.skips--;
    if (this.shape !== null) this.confidence -= MISS_PENALTY;
    this.shape = this.confidence > 0 ? shapeOf(value) : null;
    if (this.shape !== null) return;
    this.confidence = MAX_CONFIDENCE;
    this.skips = SKIPPED_BODIES;
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

/** Maximum digits of a number that is exact wherever its decimal point is. */
const EXACT_DIGITS = 15;
const powers = Array.from({ length: EXACT_DIGITS + 1 }, (_, digits) => Number(`1e${digits}`));

const trueText = tokenOf("true");
const falseText = tokenOf("false");
const nullText = tokenOf("null");

/**
 * End of the value that was read last; `FAILED` if it must be parsed. A module variable costs less than a result object, and is safe because reading is
 * synchronous and calls no code of the program.
 */
let end = 0;
const FAILED = -1;

/** Offset of a NUL after the longest body: reading a value there fails. */
const noValueAt = WINDOW_SIZE + 64;

const fail = (): undefined => {
  end = FAILED;
  return notRead;
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
    if (end === FAILED) return notRead;
    at = end;
  }
  if (members.length === 0) at++;
  if (window[at] !== CLOSE) return fail();
  end = at + 1;
  return object;
};

/** Returns the offset of a member's value if blanks precede its name; `noValueAt` if the next member has another name. */
const looseNameEnd = (name: Token, at: number, start: number): number => {
  const nameStart = blanksEnd(at + 1);
  const isNext = (at === start || window[at] === COMMA) && isAt(name, nameStart);
  return isNext ? nameStart + name.length : noValueAt;
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
    if (end === FAILED) return notRead;
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
    return number === notRead ? notRead : -number;
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
 * Sets the highest bit of each of four bytes that ends a string or needs the parser: control characters, quotes, backslashes and bytes beyond ASCII.
 * One subtraction tests all four bytes: a byte below 0x20, or one equal to the searched byte, borrows from its highest bit. A borrow affects only higher
 * bytes, so the lowest mark is exact. The NUL after the body is always marked.
 */
const specialIn = (four: number): number =>
  ((four - 0x20202020) | ((four ^ 0x22222222) - 0x01010101) | ((four ^ 0x5c5c5c5c) - 0x01010101) | four) &
  0x80808080;

/** Reads a number without an exponent, with so few digits that the integer and its quotient by a power of ten equal the parser's result. */
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

const readFraction = (whole: number, point: number, maxDigits: number): number | undefined => {
  let value = whole;
  let at = point + 1;
  for (; ; at++) {
    const digit = (window[at] as number) - ZERO;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  const digits = at - point - 1;
  if (digits === 0 || digits > maxDigits || !isEnd(window[at] as number)) return fail();
  end = at;
  return value / (powers[digits] as number);
};

const isEnd = (byte: number): boolean => byte === COMMA || byte === CLOSE || byte === CLOSE_LIST;

const blanksEnd = (start: number): number => {
  let at = start;
  while (window[at] === SPACE) at++;
  return at;
};
