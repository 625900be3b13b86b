import { HttpError } from "../errors/http-error.ts";
import { PayloadTooLargeError, ValueError } from "../errors/http-errors.ts";
import { ByteCollector } from "./byte-collector.ts";
import { DelimiterSearch } from "./delimiter-search.ts";
import { excerpt } from "../http/excerpt.ts";
import { Form, type ParsedForm } from "./form-data.ts";
import type { MultipartLimits } from "./multipart-limits.ts";
import { type PartHead, parsePartHead } from "./multipart-part-head.ts";
import { UploadedFile } from "./uploaded-file.ts";
import { decodeUtf8 } from "./utf8.ts";

const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;
const headEnd: readonly number[] = [CR, LF, CR, LF];

/** `delimiter`: after a boundary; `close`: after the two dashes of the last one. */
type State = "content" | "delimiter" | "head" | "close" | "epilogue";

/**
 * Parses a `multipart/form-data` body chunk by chunk (RFC 7578, RFC 2046 5.1), each byte once.
 *
 * Preamble and epilogue are ignored. Chunks are kept, not copied, so the caller must not reuse their memory.
 *
 * @throws ValueError 400 for a malformed body; PayloadTooLargeError or HttpError 413 at the first byte or part over a limit; UnsupportedMediaTypeError 415 for a
 * text field whose charset is not UTF-8
 */
export class MultipartParser {
  private readonly limits: MultipartLimits;
  private readonly search: DelimiterSearch;
  private readonly fields: string[] = [];
  private readonly files: UploadedFile[] = [];
  private state: State = "content";
  private total = 0;
  private parts = 0;
  /** Matched bytes of `--`, of the end of a head or of the last line end, depending on the state. */
  private matched = 0;
  private collected: ByteCollector = new ByteCollector();
  /** The part being read; `null` in the preamble. */
  private part: PartHead | null = null;

  constructor(boundary: string, limits: MultipartLimits) {
    this.limits = limits;
    this.search = new DelimiterSearch(boundary);
  }

  push(chunk: Uint8Array): void {
    this.total += chunk.byteLength;
    if (this.total > this.limits.maxTotalBytes) {
      throw new PayloadTooLargeError(this.limits.maxTotalBytes, "The multipart body");
    }
    for (let at = 0; at < chunk.byteLength;) at = this.step(chunk, at);
  }

  /** The text fields of all complete parts. */
  get form(): Form {
    return new Form(this.fields);
  }

  /** Returns the form, after the last chunk. @throws ValueError 400 when the last boundary is missing */
  end(): ParsedForm {
    const complete = this.state === "epilogue" || (this.state === "close" && this.matched === 0);
    if (!complete) throw new ValueError("The multipart body ends before its last boundary");
    return { form: this.form, files: this.files };
  }

  /** Consumes bytes from an index on and returns the index after them. */
  private step(chunk: Uint8Array, at: number): number {
    switch (this.state) {
      case "content":
        return this.readContent(chunk, at);
      case "delimiter":
        return this.readDelimiter(chunk, at);
      case "head":
        return this.readHead(chunk, at);
      case "close":
        return this.readClose(chunk, at);
      default:
        return chunk.byteLength;
    }
  }

  private readContent(chunk: Uint8Array, at: number): number {
    const end = this.search.search(chunk, at, this.appendContent);
    if (end === -1) return chunk.byteLength;
    this.finishPart();
    this.enter("delimiter");
    return end;
  }

  /** Two dashes mark the last boundary; otherwise a part's head starts. */
  private readDelimiter(chunk: Uint8Array, at: number): number {
    if (chunk[at] === DASH) {
      if (++this.matched === 2) this.enter("close");
      return at + 1;
    }
    if (this.matched > 0) throw new ValueError("A boundary line of the multipart body is malformed");
    if (++this.parts > this.limits.maxParts) {
      throw new HttpError(413, `The multipart body holds more than ${this.limits.maxParts} parts`);
    }
    this.enter("head");
    return at;
  }

  private readHead(chunk: Uint8Array, from: number): number {
    let at = from;
    for (; at < chunk.byteLength && this.matched < headEnd.length; at++) {
      if (chunk[at] === headEnd[this.matched]) this.matched++;
      else this.matched = chunk[at] === CR ? 1 : 0;
    }
    const { maxPartHeadBytes, maxNameBytes } = this.limits;
    if (this.collected.length + at - from > maxPartHeadBytes + headEnd.length) {
      throw new PayloadTooLargeError(maxPartHeadBytes, "The head of a form part");
    }
    this.collected.append(chunk.subarray(from, at));
    if (this.matched < headEnd.length) return at;
    const head = this.collected.join().subarray(0, -headEnd.length);
    this.part = parsePartHead(decodeUtf8(head, "The head of a form part"), maxNameBytes);
    this.enter("content");
    this.search.beginPart();
    return at;
  }

  /** Reads the rest of the last boundary's line: blanks and a line end, or the end of the body. */
  private readClose(chunk: Uint8Array, at: number): number {
    const byte = chunk[at];
    if (this.matched === 0 && (byte === 0x20 || byte === 0x09)) return at + 1;
    if (byte !== headEnd[this.matched])
      throw new ValueError("The multipart body's last boundary is malformed");
    if (++this.matched === 2) this.enter("epilogue");
    return at + 1;
  }

  private readonly appendContent = (content: Uint8Array): void => {
    if (this.part === null) return;
    const { maxFieldBytes, maxFileBytes } = this.limits;
    const isFile = this.part.filename !== null;
    const limit = isFile ? maxFileBytes : maxFieldBytes;
    if (this.collected.length + content.byteLength > limit) {
      throw new PayloadTooLargeError(limit, isFile ? "An uploaded file" : "A form field");
    }
    this.collected.append(content);
  };

  private finishPart(): void {
    if (this.part === null) return;
    const { name, filename, contentType } = this.part;
    const bytes = this.collected.join();
    if (filename === null) this.fields.push(name, decodeUtf8(bytes, `The form field ${excerpt(name)}`));
    else if (filename !== "" || bytes.byteLength > 0) {
      this.files.push(new UploadedFile({ name, filename, contentType }, bytes));
    } // browsers send no name and no content when no file was chosen
  }

  private enter(state: State): void {
    this.state = state;
    this.matched = 0;
    this.collected = new ByteCollector();
  }
}
