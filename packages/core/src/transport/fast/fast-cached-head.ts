import { FastFields } from "./fast-fields.ts";
import type { FastHead } from "./fast-request-head.ts";

const LF = 0x0a;

/** Names that are looked up at once in the next request with the same fields. */
const maxAsked = 16;

/**
 * A head that was read and found right, to be known again: most clients send the same fields with every request of a connection, and many the
 * same request line.
 *
 * The same bytes under the same limits mean the same, so what follows byte for byte needs no second look.
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
  /** A chunk that is this head and nothing else, once the same request line has come again. */
  private chunk: Buffer | null = null;
  /** Names that were asked for since the fields came again, and beside each its value. */
  private readonly asked: (string | null)[] = [];

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
    const { asked } = this;
    for (let at = 0; at < asked.length; at += 2) if (asked[at] === lowerName) return asked[at + 1] ?? null;
    const value = super.get(lowerName);
    if (asked.length < 2 * maxAsked) asked.push(lowerName, value);
    return value;
  }

  /** Takes the request line of a head with the same fields. */
  setLine(bytes: Buffer, start: number, head: FastHead): void {
    this.line = bytes;
    this.lineStart = start;
    this.lineLength = head.fieldsStart - start;
    this.method = head.method;
    this.target = head.target;
    this.chunk = null;
  }

  /** Keeps a chunk with this very head in it, if that is all it holds. */
  keepChunk(bytes: Buffer, start: number, head: FastHead): void {
    if (this.chunk === null && start === 0 && head.bodyStart === bytes.length) this.chunk = bytes;
  }

  /** Whether a chunk is the one that was kept, byte for byte; notes in a head what it says then. */
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

  /** Notes method and target in a head and gives the place behind the request line; -1 when it is another one. */
  readLine(bytes: Buffer, start: number, head: FastHead): number {
    const { line, lineStart, lineLength } = this;
    const end = start + lineLength;
    if (bytes[end - 1] !== LF) return -1;
    for (let at = 0; at < lineLength; at++) if (bytes[start + at] !== line[lineStart + at]) return -1;
    head.method = this.method;
    head.target = this.target;
    return end;
  }

  /** Notes in a head what the fields say and gives the place behind the empty line; -1 when they are others. */
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
