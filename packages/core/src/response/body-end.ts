import { BodyStream } from "../exchange/payload.ts";

/** The end of a streamed body: sent completely, cancelled, or failed with an error. */
export type BodyEnd =
  | { readonly how: "complete" | "cancelled" }
  | { readonly how: "failed"; readonly error: unknown };

/** Wraps a body so that it calls `listener` once at its end: complete, failed or cancelled, even before its first chunk. */
export const onBodyEnd = (body: BodyStream, listener: (end: BodyEnd) => void): BodyStream =>
  new BodyStream(new WatchedChunks(body, listener), body.length);

class WatchedChunks implements AsyncIterableIterator<Uint8Array> {
  private readonly body: BodyStream;
  private listener: ((end: BodyEnd) => void) | null;
  private iterator: AsyncIterator<Uint8Array> | null = null;

  constructor(body: BodyStream, listener: (end: BodyEnd) => void) {
    this.body = body;
    this.listener = listener;
  }

  [Symbol.asyncIterator](): this {
    this.iterator = this.body.chunks[Symbol.asyncIterator]();
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    this.iterator ??= this.body.chunks[Symbol.asyncIterator]();
    try {
      const result = await this.iterator.next();
      if (result.done === true) this.end({ how: "complete" });
      return result;
    } catch (error) {
      this.end({ how: "failed", error });
      throw error;
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.end({ how: "cancelled" });
    await (this.iterator === null ? this.body.cancel() : this.iterator.return?.());
    return { done: true, value: undefined };
  }

  private end(end: BodyEnd): void {
    const { listener } = this;
    this.listener = null;
    listener?.(end);
  }
}
