import { markHandled } from "../middleware/mark-handled.ts";
import { saveAtomically } from "./save-atomically.ts";

/** Metadata of a file's part. */
export interface FileDescription {
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
}

/** Options of `UploadedFile.save`. */
export interface SaveOptions {
  /** Replaces an existing file instead of failing with `EEXIST`. @default false */
  readonly overwrite?: boolean;
}

const SLICE = 65_536;

/** A file of a multipart form, held in memory within the form's limits. */
export class UploadedFile {
  /** Name of the form field. */
  readonly name: string;
  /** Last component of the name that the client sent; empty without one. Never a path, `.` or `..`. */
  readonly filename: string;
  /** Media type that the client declared, not compared with the content; `text/plain` without one (RFC 7578 4.4). */
  readonly contentType: string;
  private readonly bytes: Uint8Array;
  private web: File | undefined;

  constructor({ name, filename, contentType }: FileDescription, bytes: Uint8Array) {
    this.name = name;
    this.filename = filename;
    this.contentType = contentType;
    this.bytes = bytes;
  }

  /** Length in bytes. */
  get size(): number {
    return this.bytes.byteLength;
  }

  /** Extension of `filename` in lower case with its dot: `.png`; empty without one, and for names such as `.profile`. */
  get extension(): string {
    const dot = this.filename.lastIndexOf(".");
    return dot > 0 && dot < this.filename.length - 1 ? this.filename.slice(dot).toLowerCase() : "";
  }

  /** The content, not copied: the same bytes at each call, possibly a view into a larger buffer. */
  read(): Promise<Uint8Array> {
    return Promise.resolve(this.bytes);
  }

  /** The content as UTF-8 text; invalid bytes become U+FFFD. */
  text(): Promise<string> {
    return Promise.resolve(new TextDecoder().decode(this.bytes));
  }

  /** The content in chunks of 64 KiB; a new stream at each call. */
  stream(): ReadableStream<Uint8Array> {
    const { bytes } = this;
    let at = 0;
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at < bytes.byteLength) controller.enqueue(bytes.subarray(at, at + SLICE));
        at += SLICE;
        if (at >= bytes.byteLength) controller.close();
      },
    });
  }

  /** A web `File` with the same content, for schemas and `fetch`; the same object at each call. It holds a copy of the bytes. */
  toFile(): File {
    return (this.web ??= new File([this.bytes as Uint8Array<ArrayBuffer>], this.filename, {
      type: this.contentType,
    }));
  }

  /**
   * Writes the content to a path that the program chose; `filename` comes from the client and is at most a suggestion.
   *
   * Fails with Node's `EEXIST` for an existing file, unless `overwrite` is set. The file appears complete or not at all: it is first written as
   * `.upload-<uuid>.part` in the same folder, and removed on failure. Without `overwrite`, a file system without hard links (FAT) shows it while it is written.
   *
   * @throws CORE_NEEDS_NODE on a runtime without `node:fs`
   */
  save(path: string | URL, { overwrite = false }: SaveOptions = {}): Promise<void> {
    return markHandled(saveAtomically(this.bytes, path, overwrite));
  }
}
