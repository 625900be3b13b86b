import { FrameworkError } from "../../errors/framework-error.ts";
import { BodyStream } from "../../exchange/payload.ts";

/** Maximum number of bytes of one write: backpressure and the write timeout apply between writes. */
const SLICE_BYTES = 65_536;

const nothing: Uint8Array = new Uint8Array(0);

/** Maximum number of bytes that a sink copies instead of waiting until they are written. */
export const COPIED_BYTES = 4096;

/** Destination of a body: a `ServerResponse`, or an object that frames like a `ServerResponse`. An empty chunk only sends the head. */
export interface BodySink {
  /**
   * Writes bytes.
   *
   * @returns `false` if the writer must wait for `drain` or for the call of `taken`: the bytes were not copied, and the source may overwrite them when its next
   * chunk is pulled
   */
  write(bytes: Uint8Array, taken: (error?: Error | null) => void): boolean;
  /** Ends the body. */
  end(): unknown;
  /** Adds a listener that is called when more can be written. */
  on(event: "drain", listener: () => void): unknown;
}

/** Errors of a body. After `failed` the connection must be cut, so that the client does not consider the reply complete. */
export interface BodyWriterEvents {
  /** Called when the body cannot be completed: its source failed, or its length differs from the declared length. */
  failed(error: unknown): void;
  /** Called with an error after `stop`, for the log only. */
  late(error: unknown): void;
}

/**
 * Writes a long or streamed body after its head, chunk by chunk, and waits while the client does not read. The next chunk is pulled when the last chunk was
 * written or copied.
 *
 * A stream of known length must produce exactly that many bytes.
 */
export class BodyWriter {
  private readonly response: BodySink;
  private readonly payload: Uint8Array | BodyStream;
  private readonly events: BodyWriterEvents;
  private iterator: AsyncIterator<Uint8Array> | null = null;
  private written = 0;
  private started = false;
  private stopped = false;
  private wake: (() => void) | null = null;

  constructor(response: BodySink, payload: Uint8Array | BodyStream, events: BodyWriterEvents) {
    this.response = response;
    this.payload = payload;
    this.events = events;
  }

  /** Begins to write, once the head is sent. */
  start(): void {
    if (this.started || this.stopped) return;
    this.started = true;
    this.response.on("drain", this.onDrain);
    this.run().then(undefined, (error: unknown) => this.failed(error));
  }

  /** Aborts; calls the source's `return()` at once, even while a `next()` is pending. */
  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    this.onDrain();
    this.release().catch((error: unknown) => this.events.late(error));
  }

  /** Frees the source. The result of a pending `next()` is ignored. */
  private async release(): Promise<void> {
    const { iterator, payload } = this;
    this.iterator = null;
    if (iterator !== null) await iterator.return?.();
    else if (!this.started && payload instanceof BodyStream) await payload.cancel();
  }

  private async run(): Promise<void> {
    const { payload } = this;
    if (payload instanceof BodyStream) await this.writeStream(payload);
    else await this.write(payload);
    if (this.stopped) return;
    this.stopped = true;
    this.response.end();
  }

  private async writeStream({ chunks, length }: BodyStream): Promise<void> {
    const iterator = chunks[Symbol.asyncIterator]();
    this.iterator = iterator;
    this.response.write(nothing, ignore); // sends the head as Latin-1; `flushHeaders` would send UTF-8
    for (;;) {
      const result = await this.pull(iterator);
      if (this.stopped) return;
      if (result.done === true) break;
      if (!(result.value instanceof Uint8Array)) throw badChunk(result.value);
      if (length !== null && this.written + result.value.byteLength > length)
        throw wrongLength(length, "more");
      await this.write(result.value);
      if (this.stopped) return;
    }
    this.iterator = null;
    if (length !== null && this.written !== length) throw wrongLength(length, "less");
  }

  private async pull(iterator: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
    try {
      return await iterator.next();
    } catch (error) {
      this.iterator = null; // a failed iterator needs no return()
      throw error;
    }
  }

  private async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength; at += SLICE_BYTES) {
      const slice = bytes.byteLength > SLICE_BYTES ? bytes.subarray(at, at + SLICE_BYTES) : bytes;
      this.written += slice.byteLength;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.wake = resolve;
      // One function per slice, because it is also called, later, for a slice that was written at once. After a failed write, the close of the connection calls `stop`.
      const taken = (error?: Error | null): void => {
        if (error == null) resolve();
      };
      if (!this.response.write(slice, taken)) await promise;
      if (this.stopped) return;
    }
  }

  private readonly onDrain = (): void => {
    const { wake } = this;
    this.wake = null;
    wake?.();
  };

  private failed(error: unknown): void {
    if (this.stopped) return this.events.late(error);
    this.stop();
    this.events.failed(error);
  }
}

const ignore = (): void => {};

const badChunk = (chunk: unknown): FrameworkError =>
  new FrameworkError(
    "CORE_BAD_CHUNK",
    `a streamed body must produce Uint8Array chunks, but produced ${chunk === null ? "null" : typeof chunk}`,
  );

const wrongLength = (length: number, found: "more" | "less"): FrameworkError =>
  new FrameworkError("CORE_BAD_REPLY", `a streamed reply declared ${length} bytes and produced ${found}`);
