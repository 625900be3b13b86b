import { BodyStream, closeWhenDropped } from "@framework/core/feature";
import type { ByteRange } from "@framework/core/http";
import { FrameworkError } from "@framework/core";
import type { OpenedFile } from "./opened-file.ts";

/** Part of a body: a range of the file, or bytes between ranges. */
export type BodyPart = ByteRange | Uint8Array;

/** Bytes per read; a body up to this length is read before the reply begins. */
export const CHUNK_BYTES = 65_536;

/** Returns the body of a reply from an open file: read immediately if it is short, otherwise streamed. The file is always closed. */
export const fileBody = async (
  file: OpenedFile,
  parts: readonly BodyPart[],
): Promise<Uint8Array | BodyStream> => {
  const body = new BodyStream(new FileChunks(file, parts), lengthOf(parts));
  const { length } = body;
  if (length === null || length > CHUNK_BYTES) return body;
  const whole = new Uint8Array(length);
  let at = 0;
  for await (const chunk of body.chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
};

const lengthOf = (parts: readonly BodyPart[]): number =>
  parts.reduce((sum, part) => sum + (isBytes(part) ? part.byteLength : part.end - part.start + 1), 0);

const isBytes = (part: BodyPart): part is Uint8Array => part instanceof Uint8Array;

const finished: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });

/** Reads one chunk per request. Closes the file after the last chunk, on failure, when the reader stops early, and when the body is dropped. */
class FileChunks implements AsyncIterableIterator<Uint8Array, undefined> {
  private readonly file: OpenedFile;
  private readonly parts: readonly BodyPart[];
  private index = 0;
  /** Position in the file of the next byte of the current part; `null` at the start of a part. */
  private at: number | null = null;
  private hasEnded = false;

  constructor(file: OpenedFile, parts: readonly BodyPart[]) {
    this.file = file;
    this.parts = parts;
    closeWhenDropped(this, file);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const part = this.parts[this.index];
    if (this.hasEnded || part === undefined) return this.return();
    try {
      const value = isBytes(part) ? part : await this.read(part);
      if (this.at === null) this.index++;
      if (this.index === this.parts.length) await this.file.close();
      return this.hasEnded ? finished : { done: false, value };
    } catch (error) {
      this.hasEnded = true;
      await this.file.close();
      throw error;
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.hasEnded = true;
    await this.file.close();
    return finished;
  }

  /** A truncated file fails the body, because its length has been sent; bytes appended meanwhile are not sent. */
  private async read({ start, end }: ByteRange): Promise<Uint8Array> {
    const from = this.at ?? start;
    const bytes = new Uint8Array(Math.min(CHUNK_BYTES, end + 1 - from));
    const count = await this.file.read(bytes, from);
    if (count === 0)
      throw new FrameworkError(
        "STATIC_FILES_SHORT_FILE",
        "static-files: a file was truncated while it was sent",
      );
    this.at = from + count > end ? null : from + count;
    return count === bytes.byteLength ? bytes : bytes.subarray(0, count);
  }
}
