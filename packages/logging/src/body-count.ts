import { BodyStream, messageOf } from "@framework/core/feature";

/** Wraps a body to count the bytes read and record the error that ended it. */
export class CountedBody extends BodyStream {
  private readonly counter: Counter;

  constructor(body: BodyStream) {
    const counter = new Counter(body);
    super(counter, body.length);
    this.counter = counter;
  }

  get bytes(): number {
    return this.counter.bytes;
  }

  /** Message of the error that ended the body; `null` if none did. */
  get error(): string | null {
    return this.counter.error;
  }
}

class Counter implements AsyncIterableIterator<Uint8Array> {
  bytes = 0;
  error: string | null = null;
  private readonly body: BodyStream;
  private iterator: AsyncIterator<Uint8Array> | null = null;

  constructor(body: BodyStream) {
    this.body = body;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    this.iterator ??= this.body.chunks[Symbol.asyncIterator]();
    try {
      const result = await this.iterator.next();
      if (result.done !== true) this.bytes += result.value.byteLength;
      return result;
    } catch (error) {
      this.error = Error.isError(error) ? messageOf(error) : "the body failed";
      throw error;
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    await (this.iterator === null ? this.body.cancel() : this.iterator.return?.());
    return { done: true, value: undefined };
  }
}
