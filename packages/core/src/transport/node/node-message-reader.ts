// More than 250 lines, because one state machine is easier to read in one file.
import type { LimitsConfig } from "../../config/limits-config.ts";
import { HttpError } from "../../errors/http-error.ts";
import { fieldsTooLong, lineTooLong } from "../wire/head-limits.ts";
import { ordinaryHeadEnd } from "./ordinary-head.ts";
import { type ExtensionState, mayEnd, nextInExtension } from "./chunk-extension.ts";

/** Maximum number of bytes of chunk extensions and leading zeros in one body, which carry no data. */
export const MAX_EXTENSION_BYTES = 16_384;

/** Maximum number of significant digits of a chunk size; further ones can only be leading zeros. */
const SIZE_DIGITS = 14;
/** Maximum number of characters of a field name in an error. */
const NAME_LENGTH = 64;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;
const SEMICOLON = 0x3b;
const PROTOCOL = "HTTP/";

/** Parser state: the part of a message to which the next byte belongs. */
type State =
  | "start"
  | "empty line"
  | "method"
  | "before target"
  | "target"
  | "protocol"
  | "rest of line"
  | "name"
  | "after colon"
  | "value"
  | "end of fields"
  | "head read"
  | "body"
  | "size"
  | "extension"
  | "end of size"
  | "data"
  | "after data"
  | "end of data";

const malformedLine = (): HttpError => new HttpError(400, "The request line is malformed");
const malformedChunk = (): HttpError => new HttpError(400, "The chunked body is malformed");

/**
 * Checks the framing of one connection's requests, before they reach a parser that accepts some messages that RFC 9112 forbids. A complete head of the ordinary
 * form is read at once, everything else byte by byte.
 *
 * It rejects more than one empty line before a request, more than one blank between the parts of a request line, a protocol other than HTTP
 * (RFC 9112 2.2 and 3), a head beyond the limits, chunk sizes above 2^53 - 1, malformed chunk extensions and more than 16 KiB of them in a body (7.1).
 * The parser detects all other errors. The parser gets a message in separate pieces: its head, then its body; never bytes of two messages in one call.
 */
export class MessageReader {
  private readonly limits: LimitsConfig;
  private state: State = "start";
  private readEmptyLine = false;
  /** Bytes of the current request line, without its line end. */
  private lineBytes = 0;
  private matched = 0;
  /** Bytes of the fields so far, as `maxHeaderBytes` counts them, and of the current one. */
  private headBytes = 0;
  private fieldBytes = 0;
  private name = "";
  private largestName = "";
  private largestBytes = 0;
  private isTrailer = false;
  /** Remaining bytes of the body or of the chunk. */
  private remaining = 0;
  private digits = 0;
  private size = 0;
  private extension: ExtensionState = "before name";
  private extensionBytes = 0;
  /** Bytes of bodies so far, without framing. */
  bodyBytes = 0;
  /** The error that refuses the message; set once, and nothing is read after it. */
  failure: HttpError | null = null;

  constructor(limits: LimitsConfig) {
    this.limits = limits;
  }

  /** Whether no message has begun; the whole or a part of an empty line may already have been read. */
  get atStart(): boolean {
    return this.state === "start" || this.state === "empty line";
  }

  /** Whether the head is complete: `expectBody` must be called before the next `read`. */
  get headIsRead(): boolean {
    return this.state === "head read";
  }

  /** Sets the length of the body that follows the head; `null` for a chunked one. */
  expectBody(length: number | null): void {
    this.extensionBytes = 0;
    if (length === null) this.beginChunk();
    else if (length === 0) this.beginMessage();
    else {
      this.remaining = length;
      this.state = "body";
    }
  }

  /**
   * Reads from `start` to the end of the head, of the message or of the bytes, whichever comes first. Returns the offset reached; after a failure, the
   * offset of the invalid byte.
   */
  read(bytes: Buffer, start: number): number {
    const { length } = bytes;
    if (this.state === "start" && !this.readEmptyLine) {
      const end = ordinaryHeadEnd(bytes, start, this.limits);
      if (end !== -1) {
        this.state = "head read";
        return end;
      }
    }
    let at = start;
    while (at < length && this.failure === null) {
      if (this.remaining > 0) at = this.skipData(at, length);
      else if (this.state === "value") at = this.skipValue(bytes, at);
      else {
        this.step(bytes[at] as number);
        if (this.failure !== null) return at;
        at++;
      }
      if (this.state === "head read" || (this.state === "start" && !this.readEmptyLine)) return at;
    }
    return at;
  }

  private skipData(at: number, length: number): number {
    const taken = Math.min(this.remaining, length - at);
    this.remaining -= taken;
    this.bodyBytes += taken;
    if (this.remaining === 0) {
      if (this.state === "body") this.beginMessage();
      else this.state = "after data";
    }
    return at + taken;
  }

  private skipValue(bytes: Uint8Array, at: number): number {
    const lineFeed = bytes.indexOf(LF, at);
    const end = lineFeed === -1 ? bytes.length : lineFeed + 1;
    const room = this.limits.maxHeaderBytes - this.headBytes;
    if (end - at > room) {
      this.countField(room + 1);
      return at + room;
    }
    this.countField(end - at);
    if (lineFeed !== -1) this.beginField();
    return end;
  }

  private step(byte: number): void {
    switch (this.state) {
      case "start":
        return this.stepStart(byte);
      case "empty line":
        if (byte !== LF) return this.fail(malformedLine());
        this.readEmptyLine = true;
        this.state = "start";
        return;
      case "method":
      case "before target":
      case "target":
      case "protocol":
      case "rest of line":
        return this.stepLine(byte);
      case "name":
      case "after colon":
      case "end of fields":
        return this.stepField(byte);
      default:
        return this.stepChunk(byte);
    }
  }

  private stepStart(byte: number): void {
    if (byte === LF || (byte === CR && this.readEmptyLine)) return this.fail(malformedLine());
    if (byte === CR) {
      this.state = "empty line";
      return;
    }
    this.readEmptyLine = false;
    this.lineBytes = 1;
    this.state = "method";
  }

  private stepLine(byte: number): void {
    if (byte === LF) return this.beginFields();
    if (byte !== CR && ++this.lineBytes > this.limits.maxRequestLine)
      return this.fail(lineTooLong(this.limits));
    switch (this.state) {
      case "method":
        if (byte === SPACE) this.state = "before target";
        return;
      case "before target":
        if (byte === SPACE) return this.fail(malformedLine());
        this.state = "target";
        return;
      case "target":
        if (byte !== SPACE) return;
        this.matched = 0;
        this.state = "protocol";
        return;
      case "protocol":
        if (byte !== PROTOCOL.charCodeAt(this.matched)) return this.fail(malformedLine());
        if (++this.matched === PROTOCOL.length) this.state = "rest of line";
        return;
      default:
    }
  }

  private beginFields(): void {
    this.isTrailer = false;
    this.headBytes = 0;
    this.fieldBytes = 0;
    this.largestName = "";
    this.largestBytes = 0;
    this.beginField();
  }

  private beginField(): void {
    if (this.fieldBytes > this.largestBytes) {
      this.largestBytes = this.fieldBytes;
      this.largestName = this.name;
    }
    this.fieldBytes = 0;
    this.name = "";
    this.state = "name";
  }

  private stepField(byte: number): void {
    if (this.state === "end of fields") {
      if (byte !== LF) this.fail(new HttpError(400, "The request is malformed"));
      else if (this.isTrailer) this.beginMessage();
      else this.state = "head read";
      return;
    }
    if (byte === CR && this.state === "name" && this.fieldBytes === 0) {
      this.state = "end of fields";
      return;
    }
    // A field without a blank after its colon counts as one with it, as in `readHead`.
    this.countField(this.state === "after colon" && byte !== SPACE && byte !== TAB ? 2 : 1);
    if (byte === LF) this.beginField();
    else if (this.state === "after colon") this.state = "value";
    else if (byte === COLON) this.state = "after colon";
    else if (this.name.length < NAME_LENGTH) this.name += String.fromCharCode(byte);
  }

  private countField(bytes: number): void {
    this.fieldBytes += bytes;
    this.headBytes += bytes;
    if (this.headBytes <= this.limits.maxHeaderBytes) return;
    this.fail(fieldsTooLong(this.limits, this.fieldBytes > this.largestBytes ? this.name : this.largestName));
  }

  private beginChunk(): void {
    this.size = 0;
    this.digits = 0;
    this.state = "size";
  }

  private stepChunk(byte: number): void {
    switch (this.state) {
      case "size":
        return this.stepSize(byte);
      case "extension":
        return this.stepExtension(byte);
      case "end of size":
        return byte === LF ? this.beginData() : this.fail(malformedChunk());
      case "after data":
        if (byte !== CR) return this.fail(malformedChunk());
        this.state = "end of data";
        return;
      default:
        return byte === LF ? this.beginChunk() : this.fail(malformedChunk());
    }
  }

  private stepSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit !== -1) {
      this.size = this.size * 16 + digit;
      if (this.size > Number.MAX_SAFE_INTEGER) return this.fail(new HttpError(400, "A chunk is too large"));
      if (++this.digits > SIZE_DIGITS) this.countExtension();
    } else if (this.digits === 0) this.fail(malformedChunk());
    else if (byte === CR) this.state = "end of size";
    else if (byte === SEMICOLON) {
      this.state = "extension";
      this.extension = "before name";
      this.countExtension();
    } else this.fail(malformedChunk());
  }

  private stepExtension(byte: number): void {
    if (byte === CR && mayEnd(this.extension)) {
      this.state = "end of size";
      return;
    }
    const next = nextInExtension(this.extension, byte);
    if (next === null) return this.fail(malformedChunk());
    this.extension = next;
    this.countExtension();
  }

  private countExtension(): void {
    if (++this.extensionBytes <= MAX_EXTENSION_BYTES) return;
    this.fail(new HttpError(400, `The chunk extensions are longer than ${MAX_EXTENSION_BYTES} bytes`));
  }

  private beginData(): void {
    if (this.size > 0) {
      this.remaining = this.size;
      this.state = "data";
      return;
    }
    this.beginFields();
    this.isTrailer = true;
  }

  private beginMessage(): void {
    this.readEmptyLine = false;
    this.state = "start";
  }

  private fail(failure: HttpError): void {
    this.failure = failure;
  }
}

const hexDigit = (byte: number): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
};
