// Longer than 250 lines, because one class reads every kind of token in one pass; outline.ts counts the contents.
import type { Names, Span } from "./spreads.ts";
import { Outline, type OutlineExcess, type OutlineLimits } from "./outline.ts";

/** Limits that are checked before a text is parsed. */
export interface TextLimits extends OutlineLimits {
  readonly maxTokens: number;
}

/** The limit that a text exceeds. */
export type TextExcess = "maxTokens" | OutlineExcess;

// Classes of bytes, one bit each.
const WORD = 0x01;
const OTHER = 0x04;
const LINE = 0x10;
const BLANK = 0x20;

// The same bits in each of four bytes.
const WORDS = 0x01010101;
const OTHERS = 0x04040404;
const WORDS_AND_LINES = 0x11111111;

const classOf = (character: string): number => {
  if (/[\t ,]/.test(character)) return BLANK;
  if (/[\w+-]/.test(character)) return WORD;
  return character === "\n" ? LINE : OTHER;
};

const tableOf = (of: (character: string) => number): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, code) => of(String.fromCharCode(code)));

/** Class of each byte. Bytes of names and numbers are words; `take` joins the two words of a number that has a decimal point. */
const classes = tableOf(classOf);
/** Bytes that neither end a string or a comment nor start an escape. */
const inText = tableOf((character) => (/["\\\n\r]/.test(character) ? 0 : 1));

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const HASH = 0x23;
const ZERO = 0x30;
const DOT = 0x2e;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const BYTE_ORDER_MARK = 0xfeff;
const END = -1;

/** Maximum number of bytes between two checks of the counts. */
const MAX_RUN = 1024;

const fragmentWord = Buffer.from("fragment");
const onWord = Buffer.from("on");
const byteOrderMark = Buffer.from("\uFEFF");

/** Characters of JSON's short escapes, by letter; any other letter is invalid JSON. */
const shortEscapes = Uint8Array.from({ length: 256 }, (_, code) => {
  const at = "nrtbf".indexOf(String.fromCharCode(code));
  return at < 0 ? code : "\n\r\t\b\f".charCodeAt(at);
});

/** Reused for the UTF-8 of each text; grows to the longest text. */
let buffer = Buffer.alloc(0);

/** Writes a text as UTF-8: reading bytes of an array takes a third of the time of reading characters of a string. */
const encode = (text: string): Uint8Array => {
  if (buffer.length < text.length * 3) buffer = Buffer.allocUnsafeSlow(text.length * 3);
  return buffer.subarray(0, buffer.write(text));
};

/**
 * Returns the limit that a text exceeds, before it is parsed: this takes about 1 ns per character, parsing 100 ns per token and validation 300 ns per node.
 * `maxTokens` limits each of three counts: tokens; comments, which the parser also keeps; lines, which graphql counts for each error. For a valid document the
 * counts are never above the exact counts of the parser and of `checkDocument`.
 */
export const excessOf = (text: string, limits: TextLimits): TextExcess | null =>
  new Scan(encode(text), 0, false, limits).excess();

/** Returns the limit that a text within unparsed JSON exceeds. @param from index after the opening quote of its string */
export const excessInJson = (json: Uint8Array, from: number, limits: TextLimits): TextExcess | null =>
  new Scan(json, from, true, limits).excess();

/** One pass over a text in UTF-8, or over an unparsed JSON string with its escapes. */
class Scan implements Names {
  private readonly bytes: Uint8Array;
  private readonly isJson: boolean;
  private readonly maxTokens: number;
  private readonly outline: Outline;
  private at: number;
  /** Index after the last character that `unit` returned. */
  private nextIndex = 0;
  /** Class of the last character. A character of class WORD continues the word if the last one was also WORD. */
  private last = BLANK;
  private tokens = 0;
  private comments = 0;
  private lines = 0;

  constructor(bytes: Uint8Array, from: number, isJson: boolean, limits: TextLimits) {
    this.bytes = bytes;
    this.at = from;
    this.isJson = isJson;
    this.maxTokens = limits.maxTokens;
    this.outline = new Outline(limits);
  }

  excess(): TextExcess | null {
    const { outline, maxTokens } = this;
    for (let code = 0; code !== END;) {
      if (!outline.readsName) {
        if (this.isJson && this.bytes[this.at] === BACKSLASH) this.escapedWords();
        else this.words();
      }
      code = this.unit(this.at);
      if (code !== END) this.take(code, this.at);
      if (this.tokens > maxTokens || this.comments > maxTokens || this.lines > maxTokens) return "maxTokens";
      if (outline.excess !== null) return outline.excess;
    }
    return outline.checkTotals(this);
  }

  /**
   * Counts words and lines until a byte of class OTHER, or at most MAX_RUN bytes. Reads four bytes at once without a branch per word, which would be
   * mispredicted: this takes 0.9 ns per character, a loop per word 2 ns.
   */
  private words(): void {
    const { bytes } = this;
    const end = Math.min(bytes.length, this.at + MAX_RUN) - 3;
    let { at, last, tokens, lines } = this;
    for (; at < end; at += 4) {
      const four =
        classAt(bytes, at) |
        (classAt(bytes, at + 1) << 8) |
        (classAt(bytes, at + 2) << 16) |
        (classAt(bytes, at + 3) << 24);
      if ((four & OTHERS) !== 0) break;
      const starts = four & ~(((four << 8) | last) & WORDS) & WORDS_AND_LINES;
      const sums = Math.imul(starts, WORDS) >>> 24; // number of words in the lower four bits, of lines in the upper four
      tokens += sums & 15;
      lines += sums >> 4;
      last = four >>> 24;
    }
    for (const to = Math.min(at + 3, end); at < to; at++) {
      const kind = classAt(bytes, at); // one of these bytes may be OTHER
      if (kind === OTHER) break;
      if (kind === LINE) lines++;
      else if (kind === WORD && last !== WORD) tokens++;
      last = kind;
    }
    this.reach(at, last, tokens, lines);
  }

  /** Stores the index, the class of the character before it, and the counts up to it. */
  private reach(at: number, last: number, tokens: number, lines: number): void {
    this.at = at;
    this.last = last;
    this.tokens = tokens;
    this.lines = lines;
  }

  /** Does the same as `words` for characters written as escapes; calling `unit` for each would take several times as long. */
  private escapedWords(): void {
    const { bytes } = this;
    const end = Math.min(bytes.length, this.at + MAX_RUN) - 5;
    let { at, last, tokens, lines } = this;
    for (; at < end; at += 6) {
      const kind = isEscape(bytes, at) ? (classes[lastDigits(bytes, at)] as number) : OTHER;
      if (kind === OTHER) break;
      if (kind === LINE) lines++;
      else if (kind === WORD && last !== WORD) tokens++;
      last = kind;
    }
    this.reach(at, last, tokens, lines);
  }

  /** Reads one token or character at which `words` stopped, or a word that the outline needs. */
  private take(code: number, start: number): void {
    const kind = code < 256 ? classes[code] : OTHER;
    const last = this.last;
    this.last = BLANK;
    if (kind === WORD) this.word(last, start);
    else if (isEnd(code)) this.line(code);
    else if (kind === BLANK || code === BYTE_ORDER_MARK) this.skip(classes, BLANK, this.nextIndex);
    else if (code === HASH) this.comment();
    else if (code === byteOrderMark[0] && this.isAt(start, byteOrderMark)) this.at = start + 3;
    else if (code === DOT && last === WORD && this.isPoint()) this.point();
    else this.symbol(code);
  }

  private symbol(code: number): void {
    this.tokens++;
    if (code === QUOTE) this.string();
    else if (code === DOT) this.spread();
    else {
      this.at = this.nextIndex;
      this.outline.punctuator(code);
    }
  }

  private word(last: number, start: number): void {
    const { outline } = this;
    if (last !== WORD) this.tokens++;
    this.skip(classes, WORD, this.nextIndex);
    this.last = WORD;
    if (!outline.readsName) return;
    const keyword = this.spells(start, fragmentWord)
      ? "fragment"
      : this.spells(start, onWord)
        ? "on"
        : "other";
    outline.name(keyword, start, this.at);
  }

  hash({ start, end }: Span): number {
    const { bytes } = this;
    let hash = 0;
    for (let at = start; at < end; at = this.nextIndex) {
      const byte = bytes[at] as number;
      const code = byte === BACKSLASH ? this.unit(at) : byte;
      if (byte !== BACKSLASH) this.nextIndex = at + 1;
      hash = Math.imul(hash ^ code, 0x01000193);
    }
    return hash;
  }

  isSame(name: Span, other: Span): boolean {
    let [at, against] = [name.start, other.start];
    while (at < name.end && against < other.end) {
      const code = this.unit(at);
      at = this.nextIndex;
      if (code === END || code !== this.unit(against)) return false;
      against = this.nextIndex;
    }
    return at >= name.end && against >= other.end;
  }

  read(name: Span): string {
    let text = "";
    let code = this.unit(name.start);
    for (let at = name.start; at < name.end && code !== END; code = this.unit(at)) {
      text += String.fromCharCode(code);
      at = this.nextIndex;
    }
    return text;
  }

  /** Whether the point that was read is a decimal point: no other point follows. */
  private isPoint(): boolean {
    const { nextIndex } = this;
    const isPoint = this.unit(nextIndex) !== DOT;
    this.nextIndex = nextIndex;
    return isPoint;
  }

  /** Reads the point of a number. */
  private point(): void {
    this.at = this.nextIndex;
    this.last = WORD;
  }

  /** Whether the characters from `start` to the current index spell a word. */
  private spells(start: number, word: Uint8Array): boolean {
    const length = this.at - start;
    if (length <= word.length || !this.isJson) return length === word.length && this.isAt(start, word);
    let at = start; // the word has escapes
    for (const code of word) {
      if (this.unit(at) !== code) return false;
      at = this.nextIndex;
    }
    return at === this.at;
  }

  private spread(): void {
    let at = this.nextIndex;
    for (let dots = 1; dots < 3 && this.unit(at) === DOT; dots++) at = this.nextIndex;
    this.at = at;
    this.outline.spread();
  }

  private comment(): void {
    const { bytes } = this;
    this.comments++;
    let code: number;
    do {
      this.at = endOf(bytes, inText, 1, this.nextIndex);
      code = this.unit(this.at);
    } while (!isEnd(code));
    if (code !== END) this.line(code);
  }

  /** Reads the end of a line; CR LF counts once. */
  private line(code: number): void {
    this.at = this.nextIndex;
    if (code === LINE_FEED || this.unit(this.at) !== LINE_FEED) this.lines++;
  }

  private string(): void {
    this.at = this.nextIndex;
    if (this.takeQuotes(2)) this.blockString();
    else if (!this.takeQuotes(1)) this.lineString();
  }

  private lineString(): void {
    for (;;) {
      this.skip(inText, 1, this.at);
      const code = this.unit(this.at);
      if (isEnd(code)) return; // the parser reports the unterminated string
      this.at = this.nextIndex;
      if (code === QUOTE) return;
      if (code === BACKSLASH && this.unit(this.at) !== END) this.at = this.nextIndex;
    }
  }

  private blockString(): void {
    while (this.lines <= this.maxTokens) {
      this.skip(inText, 1, this.at);
      const code = this.unit(this.at);
      if (code === END) return;
      if (isEnd(code)) this.line(code);
      else if (code === QUOTE && this.takeQuotes(3)) return;
      else {
        this.unit(this.at);
        this.at = this.nextIndex;
        if (code === BACKSLASH) this.takeQuotes(3);
      }
    }
  }

  /** Reads exactly `count` quotes, or nothing. */
  private takeQuotes(count: number): boolean {
    let at = this.at;
    for (let quotes = 0; quotes < count; quotes++) {
      if (this.unit(at) !== QUOTE) return false;
      at = this.nextIndex;
    }
    this.at = at;
    return true;
  }

  /** Skips characters that have a bit in a table, in its own loop: calling `unit` for each would take several times as long. */
  private skip(table: Uint8Array, bit: number, from: number): void {
    const { bytes } = this;
    let at = from;
    for (;;) {
      at = endOf(bytes, table, bit, at);
      const code = bytes[at] === BACKSLASH ? this.unit(at) : END;
      if (code === END || ((table[code] ?? 0) & bit) === 0) break;
      at = this.nextIndex;
    }
    this.at = at;
  }

  /** Reads the character at an index: a byte of UTF-8, or the character of a JSON escape. */
  private unit(at: number): number {
    const { bytes } = this;
    if (at >= bytes.length) return END;
    const byte = bytes[at] as number;
    this.nextIndex = at + 1;
    if (!this.isJson) return byte;
    if (byte === QUOTE) return END;
    return byte === BACKSLASH ? this.escape(at) : byte;
  }

  private escape(at: number): number {
    const { bytes } = this;
    const letter = bytes[at + 1];
    if (letter === undefined) return END;
    this.nextIndex = at + (letter === LETTER_U ? 6 : 2);
    return letter === LETTER_U ? hexadecimal(bytes, at + 2) : (shortEscapes[letter] as number);
  }

  /** Whether `part` is at this index. */
  private isAt(at: number, part: Uint8Array): boolean {
    for (let index = 0; index < part.length; index++)
      if (this.bytes[at + index] !== part[index]) return false;
    return true;
  }
}

const classAt = (bytes: Uint8Array, at: number): number => classes[bytes[at] as number] as number;

/** Whether an escape below U+0100 begins at an index: its first two digits are zeros. */
const isEscape = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === BACKSLASH && bytes[at + 1] === LETTER_U && bytes[at + 2] === ZERO && bytes[at + 3] === ZERO;

/** Returns the character of such an escape. */
const lastDigits = (bytes: Uint8Array, at: number): number =>
  ((digits[bytes[at + 4] as number] as number) << 4) | (digits[bytes[at + 5] as number] as number);

/** Returns the index of the next byte that lacks a bit in a table, or the length. */
const endOf = (bytes: Uint8Array, table: Uint8Array, bit: number, from: number): number => {
  const { length } = bytes;
  let at = from;
  while (at < length && ((table[bytes[at] as number] as number) & bit) !== 0) at++;
  return at;
};

/** Whether a code ends a line or the text. */
const isEnd = (code: number): boolean => code === LINE_FEED || code === CARRIAGE_RETURN || code === END;

/** Values of hexadecimal digits. */
const digits = tableOf((character) => Number.parseInt(character, 16) || 0);

/** Returns the value of four hexadecimal digits; any number for other characters, because the JSON is then malformed. */
const hexadecimal = (bytes: Uint8Array, from: number): number =>
  (digitAt(bytes, from) << 12) |
  (digitAt(bytes, from + 1) << 8) |
  (digitAt(bytes, from + 2) << 4) |
  digitAt(bytes, from + 3);

const digitAt = (bytes: Uint8Array, at: number): number =>
  at < bytes.length ? (digits[bytes[at] as number] as number) : 0;
