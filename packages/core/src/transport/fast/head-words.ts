import * as headWindow from "./head-window.ts";

// Constants of the module: see `fast-request-head.ts`.
const { fourAt, fourOf, lowerFourAt } = headWindow;

/** A lower-case name or value, packed into integers of four characters each; the last four characters may overlap the previous four. */
export interface Word {
  readonly fours: readonly number[];
  readonly last: number;
}

const wordOf = (text: string): Word => {
  const last = text.length - 4;
  const fours = Array.from({ length: Math.ceil(last / 4) }, (_, index) => fourOf(text, 4 * index));
  return { fours: [...fours, fourOf(text, last)], last };
};

// Words that most requests contain have separate constants: comparisons in a loop over an array are slower.
const [connection0, connection1, connection2] = ["conn", "ecti", "tion"].map((part) => fourOf(part));
const [length0, length1, length2, length3] = ["cont", "ent-", "leng", "ngth"].map((part) => fourOf(part));
const [type2] = ["type"].map((part) => fourOf(part));
const [alive0, alive1, alive2] = ["keep", "-ali", "live"].map((part) => fourOf(part));
const [json0, json1, json2, json3] = ["appl", "icat", "ion/", "json"].map((part) => fourOf(part));

/** `host`, as `lowerFourAt` returns it. */
export const host: number = fourOf("host");

export const isConnection = (at: number): boolean =>
  lowerFourAt(at) === connection0 &&
  lowerFourAt(at + 4) === connection1 &&
  lowerFourAt(at + 6) === connection2;

export const isContentLength = (at: number): boolean =>
  lowerFourAt(at) === length0 &&
  lowerFourAt(at + 4) === length1 &&
  lowerFourAt(at + 8) === length2 &&
  lowerFourAt(at + 10) === length3;

export const isContentType = (at: number): boolean =>
  lowerFourAt(at) === length0 && lowerFourAt(at + 4) === length1 && lowerFourAt(at + 8) === type2;

export const isKeepAlive = (at: number): boolean =>
  lowerFourAt(at) === alive0 && lowerFourAt(at + 4) === alive1 && lowerFourAt(at + 6) === alive2;

/** Whether the value is `application/json`, case-sensitive: the general code handles other spellings. */
export const isJson = (at: number): boolean =>
  fourAt(at) === json0 && fourAt(at + 4) === json1 && fourAt(at + 8) === json2 && fourAt(at + 12) === json3;

export const range: Word = wordOf("range");
export const origin: Word = wordOf("origin");
export const expect: Word = wordOf("expect");
export const upgrade: Word = wordOf("upgrade");
export const ifRange: Word = wordOf("if-range");
export const authorization: Word = wordOf("authorization");
export const proxyConnection: Word = wordOf("proxy-connection");
export const transferEncoding: Word = wordOf("transfer-encoding");
export const close: Word = wordOf("close");

/** Compares with a word of the same length, case-insensitively. */
export const isWord = (start: number, { fours, last }: Word): boolean => {
  const count = fours.length - 1;
  for (let index = 0; index < count; index++) {
    if (lowerFourAt(start + 4 * index) !== fours[index]) return false;
  }
  return lowerFourAt(start + last) === fours[count];
};
