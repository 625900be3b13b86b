import { singletonFields } from "../../http/field-values.ts";
import type { FastHead } from "./fast-head.ts";

const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;

/**
 * A validated head, with its fields located by offsets into its bytes; same results as `fieldValue` over the flat list. A chunk that equals its chunk byte
 * for byte needs no second parse under the same limits: many clients repeat a request. `docs/memos.md` has what that saves.
 *
 * A name or value becomes a string when it is read, each a copy of its own: a slice of the head's text would keep the whole text in memory for
 * as long as a program keeps the value.
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
  private located: readonly number[] | null = null;
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
  }

  /** Fills in `head` if a chunk equals the one that holds this head and nothing else; whether it does. */
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
    const { bytes, places } = this;
    const { length } = lowerName;
    let found: string | null = null;
    for (let at = 0; at < places.length; at += 4) {
      const start = places[at] as number;
      if ((places[at + 1] as number) - start !== length || !isNamed(bytes, start, lowerName)) continue;
      const value = bytes.toString("latin1", places[at + 2], places[at + 3]);
      if (found === null) found = value;
      else if (singletonFields.has(lowerName)) return found;
      else found += (lowerName === "cookie" ? "; " : ", ") + value;
    }
    return found;
  }

  /** As received: name, value, name, value … The same list each time. */
  toList(): readonly string[] {
    return (this.list ??= listOf(this.bytes, this.places));
  }

  /** Four offsets for each field: start of the name, colon, start of the value, end of the value. */
  private get places(): readonly number[] {
    return (this.located ??= placesOf(this.bytes, this.start, this.end));
  }
}

const listOf = (bytes: Buffer, places: readonly number[]): string[] => {
  const list: string[] = [];
  for (let at = 0; at < places.length; at += 2)
    list.push(bytes.toString("latin1", places[at], places[at + 1]));
  return list;
};

const placesOf = (bytes: Buffer, start: number, end: number): number[] => {
  const places: number[] = [];
  for (let at = start; at < end;) {
    let colon = at;
    while (bytes[colon] !== COLON) colon++;
    let valueStart = colon + 1;
    while (isBlank(bytes[valueStart])) valueStart++;
    let lineEnd = valueStart;
    while (bytes[lineEnd] !== CR) lineEnd++;
    let valueEnd = lineEnd;
    while (valueEnd > valueStart && isBlank(bytes[valueEnd - 1])) valueEnd--;
    places.push(at, colon, valueStart, valueEnd);
    at = lineEnd + 2;
  }
  return places;
};

const isBlank = (byte: number | undefined): boolean => byte === SPACE || byte === TAB;

/** Compares a name in any case. Only a capital letter may differ from its lower-case byte. */
const isNamed = (bytes: Buffer, start: number, lowerName: string): boolean => {
  for (let index = 0; index < lowerName.length; index++) {
    const byte = bytes[start + index] as number;
    const wanted = lowerName.charCodeAt(index);
    if (byte === wanted) continue;
    if (byte < 0x41 || byte > 0x5a || byte + 0x20 !== wanted) return false;
  }
  return true;
};
