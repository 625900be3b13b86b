import { singletonFields } from "../../http/field-values.ts";
import type { FastHead } from "./fast-head.ts";
import { recordedLines } from "./head-lines.ts";

const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;

/**
 * A validated head with the offsets of its fields; lookups have the same results as `fieldValue` over the flat list. An identical later chunk is not parsed
 * again under the same limits: many clients repeat a request. See `docs/memos.md` for the savings.
 *
 * Names and values become strings when they are read. Each string is a copy: a slice of the head's text would retain the whole text for as long as a program
 * holds the value.
 */
export class CachedHead {
  /** Value of Host. */
  readonly authority: string;
  /** `RequestSource.isPlain` */
  readonly isPlain: boolean;
  private readonly bytes: Buffer;
  private readonly start: number;
  private readonly end: number;
  private readonly method: string;
  private readonly target: string;
  private readonly last: boolean;
  private readonly isJson: boolean;
  private readonly load: number;
  private lineOffsets: readonly number[] | null = null;
  private list: readonly string[] | null = null;

  constructor(bytes: Buffer, head: FastHead, authority: string) {
    this.authority = authority;
    this.isPlain = head.isPlain;
    this.bytes = bytes;
    this.start = head.fieldsStart;
    this.end = head.fieldsEnd;
    this.method = head.method;
    this.target = head.target;
    this.last = head.last;
    this.isJson = head.isJson;
    this.load = head.load;
  }

  /** Fills in `head` if a chunk has exactly the bytes of this head. Returns whether it has. */
  readChunk(bytes: Buffer, head: FastHead): boolean {
    if (bytes.length !== this.bytes.length || !this.bytes.equals(bytes)) return false;
    head.method = this.method;
    head.target = this.target;
    head.bodyStart = bytes.length;
    head.bodyLength = 0;
    head.last = this.last;
    return true;
  }

  /** Value of a field by its lower-case name. */
  get(lowerName: string): string | null {
    if (this.isJson && lowerName === "content-type") return "application/json";
    const { bytes, lines } = this;
    const { length } = lowerName;
    let found: string | null = null;
    for (let index = 1; index < lines.length; index++) {
      const start = lines[index - 1] as number;
      const colon = start + length;
      if (bytes[colon] !== COLON || !isNamed(bytes, start, lowerName)) continue; // a name has no colon
      const value = textOf(bytes, colon + 1, lines[index] as number);
      if (found === null) found = value;
      else if (singletonFields.has(lowerName)) return found;
      else found += (lowerName === "cookie" ? "; " : ", ") + value;
    }
    return found;
  }

  /** As received: name, value, name, value … The same list each time, frozen, because equal requests share it. */
  toList(): readonly string[] {
    return (this.list ??= Object.freeze(listOf(this.bytes, this.lines)));
  }

  /** Offsets of the fields, then the end of the last one. */
  private get lines(): readonly number[] {
    return (this.lineOffsets ??=
      recordedLines(this.load, this.start, this.end) ?? linesOf(this.bytes, this.start, this.end));
  }
}

const listOf = (bytes: Buffer, lines: readonly number[]): string[] => {
  const list: string[] = [];
  for (let index = 1; index < lines.length; index++) {
    const start = lines[index - 1] as number;
    let colon = start;
    while (bytes[colon] !== COLON) colon++;
    list.push(bytes.toString("latin1", start, colon), textOf(bytes, colon + 1, lines[index] as number));
  }
  return list;
};

const linesOf = (bytes: Buffer, start: number, end: number): number[] => {
  const lines = [start];
  for (let at = start; at < end;) {
    while (bytes[at] !== CR) at++;
    at += 2;
    lines.push(at);
  }
  return lines;
};

/** The trimmed value of a field. @param after offset of the next line */
const textOf = (bytes: Buffer, start: number, after: number): string => {
  let from = start;
  let to = after - 2;
  while (from < to && isBlank(bytes[from])) from++;
  while (to > from && isBlank(bytes[to - 1])) to--;
  return bytes.toString("latin1", from, to);
};

const isBlank = (byte: number | undefined): boolean => byte === SPACE || byte === TAB;

/** Compares a name case-insensitively: only a capital letter may differ from its lower-case byte. */
const isNamed = (bytes: Buffer, start: number, lowerName: string): boolean => {
  for (let index = 0; index < lowerName.length; index++) {
    const byte = bytes[start + index] as number;
    const wanted = lowerName.charCodeAt(index);
    if (byte === wanted) continue;
    if (byte < 0x41 || byte > 0x5a || byte + 0x20 !== wanted) return false;
  }
  return true;
};
