import { FrameworkError } from "../errors/framework-error.ts";
import type { ByteRange } from "../http/byte-ranges.ts";
import type { ChunkSource } from "./chunk-source.ts";
import { closeWhenDropped } from "./dropped-files.ts";

/** The members of a file handle that `FileChunks` uses. */
export interface OpenFile {
  read(
    buffer: Uint8Array,
    options: { readonly offset: number; readonly length: number; readonly position: number },
  ): Promise<{ readonly bytesRead: number }>;
  close(): Promise<void>;
}

const CHUNK_BYTES = 65_536;

/**
 * The chunks of a body that consists of parts of an open file and texts between them. A chunk of the file has at most 64 KiB.
 *
 * The file is closed after the last part, on failure, on cancellation, and when the parts are dropped. If the file was truncated, the body fails, because
 * its length has already been sent.
 */
export class FileChunks implements ChunkSource {
  private readonly file: OpenFile;
  private readonly parts: readonly (ByteRange | string)[];
  private index = 0;
  private position: number | null = null;
  private closing: Promise<void> | null = null;

  constructor(file: OpenFile, parts: readonly (ByteRange | string)[]) {
    this.file = file;
    this.parts = parts;
    closeWhenDropped(this, file);
  }

  async next(): Promise<IteratorResult<Uint8Array | string, undefined>> {
    const part = this.parts[this.index];
    if (part === undefined) return { done: true, value: undefined };
    try {
      const value = typeof part === "string" ? part : await this.read(part);
      if (this.position === null) this.index++;
      if (this.index === this.parts.length) await this.close();
      return { done: false, value };
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  close(): Promise<void> {
    this.closing ??= this.file.close();
    return this.closing;
  }

  /** Reads the next chunk of a part. Sets `position` to `null` after the last chunk. */
  private async read({ start, end }: ByteRange): Promise<Uint8Array> {
    const position = this.position ?? start;
    const length = Math.min(CHUNK_BYTES, end + 1 - position);
    const buffer = new Uint8Array(length);
    const { bytesRead } = await this.file.read(buffer, { offset: 0, length, position });
    if (bytesRead === 0)
      throw new FrameworkError("CORE_SHORT_FILE", "a file became shorter while it was sent");
    this.position = position + bytesRead > end ? null : position + bytesRead;
    return bytesRead === length ? buffer : buffer.subarray(0, bytesRead);
  }
}
