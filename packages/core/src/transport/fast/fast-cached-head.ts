import { FastFields } from "./fast-fields.ts";
import type { FastHead } from "./fast-head.ts";

const LF = 0x0a;

/** Field values that are kept as strings for the next request with the same fields. */
const MAX_VALUES = 16;

/**
 * A validated head, compared byte by byte with the next one on its connection: equal bytes under the same limits need no second parse.
 *
 * Most clients repeat all fields from request to request, and many repeat the request line. `docs/memos.md` has what each part saves.
 */
export class CachedHead extends FastFields {
  /** Value of Host. */
  readonly authority: string;
  private readonly bodyStart: number;
  private readonly bodyLength: number;
  private readonly last: boolean;
  private line: Buffer;
  private lineStart: number;
  private lineLength: number;
  private method: string;
  private target: string;
  private repeated = false;
  /** A chunk that holds exactly this head; set when the request line has repeated. */
  private chunk: Buffer | null = null;
  /** name, value, name, value … of the fields that were read since the head repeated. */
  private readonly values: (string | null)[] = [];

  constructor(bytes: Buffer, start: number, head: FastHead, authority: string) {
    super(bytes, head.fieldsStart, head.fieldsEnd);
    this.authority = authority;
    this.bodyStart = head.bodyStart;
    this.bodyLength = head.bodyLength;
    this.last = head.last;
    this.line = bytes;
    this.lineStart = start;
    this.lineLength = head.fieldsStart - start;
    this.method = head.method;
    this.target = head.target;
  }

  override get(lowerName: string): string | null {
    if (!this.repeated) return super.get(lowerName);
    const { values } = this;
    for (let at = 0; at < values.length; at += 2) if (values[at] === lowerName) return values[at + 1] ?? null;
    const value = super.get(lowerName);
    if (values.length < 2 * MAX_VALUES) values.push(lowerName, value);
    return value;
  }

  /** Replaces the request line by that of a head with the same fields. */
  setLine(bytes: Buffer, start: number, head: FastHead): void {
    this.line = bytes;
    this.lineStart = start;
    this.lineLength = head.fieldsStart - start;
    this.method = head.method;
    this.target = head.target;
    this.chunk = null;
  }

  /** Keeps a chunk that holds this head and nothing else. */
  keepChunk(bytes: Buffer, start: number, head: FastHead): void {
    if (this.chunk === null && start === 0 && head.bodyStart === bytes.length) this.chunk = bytes;
  }

  /** Fills in `head` if a chunk equals the kept one byte for byte; whether it does. */
  readChunk(bytes: Buffer, head: FastHead): boolean {
    if (this.chunk === null || !this.chunk.equals(bytes)) return false;
    head.method = this.method;
    head.target = this.target;
    head.bodyStart = bytes.length;
    head.bodyLength = 0;
    head.last = this.last;
    head.lineCached = true;
    head.fieldsCached = true;
    return true;
  }

  /** Fills in method and target and returns the end of the request line; -1 for a different line. */
  readLine(bytes: Buffer, start: number, head: FastHead): number {
    const { line, lineStart, lineLength } = this;
    const end = start + lineLength;
    if (bytes[end - 1] !== LF) return -1;
    for (let at = 0; at < lineLength; at++) if (bytes[start + at] !== line[lineStart + at]) return -1;
    head.method = this.method;
    head.target = this.target;
    return end;
  }

  /** Fills in what the fields determine and returns the end of the head; -1 for different fields. */
  readFields(bytes: Buffer, at: number, head: FastHead): number {
    const end = at + this.bodyStart - this.start;
    if (end > bytes.length || bytes.compare(this.bytes, this.start, this.bodyStart, at, end) !== 0) return -1;
    head.bodyLength = this.bodyLength;
    head.last = this.last;
    head.bodyStart = end;
    this.repeated = true;
    return end;
  }
}
