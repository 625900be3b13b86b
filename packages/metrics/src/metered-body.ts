import { BodyStream } from "@framework/core/feature";

/** Wraps a body to report its sent bytes once: when it completes, fails or is cancelled, even before its first chunk. */
export const meteredBody = (body: BodyStream, listener: (bytes: number) => void): BodyStream =>
  new BodyStream(new MeteredChunks(body, listener), body.length);

class MeteredChunks implements AsyncIterableIterator<Uint8Array> {
  private readonly body: BodyStream;
  private listener: ((bytes: number) => void) | null;
  private iterator: AsyncIterator<Uint8Array> | null = null;
  private bytes = 0;

  constructor(body: BodyStream, listener: (bytes: number) => void) {
    this.body = body;
    this.listener = listener;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    this.iterator ??= this.body.chunks[Symbol.asyncIterator]();
    try {
      const result = await this.iterator.next();
      if (result.done === true) this.end();
      else this.bytes += result.value.byteLength;
      return result;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.end();
    await (this.iterator === null ? this.body.cancel() : this.iterator.return?.());
    return { done: true, value: undefined };
  }

  private end(): void {
    const { listener } = this;
    this.listener = null;
    listener?.(this.bytes);
  }
}
