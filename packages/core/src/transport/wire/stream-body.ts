import { clientDisconnected } from "../../errors/client-disconnected.ts";
import type { ExchangeEnd } from "../../exchange/request-source.ts";
import { bodyEnd, bodyOver, bodyUsed } from "./body-iteration.ts";

interface Waiter {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/** The members that a `StreamBody` uses of the Node stream with a request's body. */
export interface BodyReadable {
  /** Whether "end" was emitted, even without a listener. */
  readonly readableEnded: boolean;
  /** Calls `listener` with each chunk. */
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  /** Calls `listener` after the last chunk. */
  on(event: "end", listener: () => void): unknown;
  /** Removes a listener. */
  off(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  /** Removes a listener. */
  off(event: "end", listener: () => void): unknown;
  /** Pauses the chunks, with backpressure to the client. */
  pause(): unknown;
  /** Resumes the chunks. */
  resume(): unknown;
}

/** Callbacks of a `StreamBody` for its exchange. */
export interface StreamBodyEvents {
  /** Called before the first read, to send `100 Continue`. */
  beforeFirst(): void;
  /**
   * Called when the stream has ended, unless the declared length has arrived.
   *
   * @returns the error if the client has abandoned the body; `null` if it is complete
   */
  endedEarly(): unknown;
}

/**
 * The chunks of a request's body from a Node stream, pulled one by one, with backpressure to the client.
 *
 * An early `return` leaves the stream open; the iterator of `Readable` would destroy it.
 */
export class StreamBody implements AsyncIterableIterator<Uint8Array, undefined> {
  /** Bytes received so far. */
  received = 0;
  /** Whether the whole body has arrived. */
  complete: boolean;
  private readonly stream: BodyReadable;
  private readonly length: number | null;
  private readonly events: StreamBodyEvents;
  private readonly queue: Uint8Array[] = [];
  private waiter: Waiter | null = null;
  private onWhole: (() => void) | null = null;
  private failure: unknown = null;
  private started = false;
  private ended = false;
  private taken = false;

  /** @param length bytes of the body, `null` while unknown */
  constructor(stream: BodyReadable, length: number | null, events: StreamBodyEvents) {
    this.stream = stream;
    this.length = length;
    this.events = events;
    this.complete = length === 0;
  }

  /** Whether a reader waits for the client to send more. */
  get waiting(): boolean {
    return this.waiter !== null;
  }

  /** Reads the whole body into memory ahead of any reader, and calls `onWhole` when it is complete or has failed. */
  collect(onWhole: () => void): void {
    this.onWhole = onWhole;
    this.flow();
  }

  /** Returns to reading one chunk at a time. */
  stopCollecting(): void {
    if (this.onWhole === null) return;
    this.onWhole = null;
    this.stream.pause();
  }

  /** Returns the collected body as one array, which may share memory with its chunks; `null` if it is incomplete. */
  whole(): Uint8Array | null {
    if (!this.complete) return null;
    const { queue } = this;
    const [first] = queue;
    if (first !== undefined && queue.length === 1)
      return new Uint8Array(first.buffer, first.byteOffset, first.byteLength); // a plain Uint8Array, not a Buffer
    const bytes = new Uint8Array(this.received);
    let at = 0;
    for (const chunk of queue) {
      bytes.set(chunk, at);
      at += chunk.byteLength;
    }
    return bytes;
  }

  /** @throws CORE_BODY_USED the second time */
  [Symbol.asyncIterator](): this {
    if (this.taken) throw bodyUsed();
    this.taken = true;
    return this;
  }

  /** Returns the next chunk, once it has arrived. @throws the error passed to `fail`, or the error of an abandoned body */
  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const chunk = this.queue.shift();
    if (chunk !== undefined) return Promise.resolve({ done: false, value: chunk });
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- passes on the value that `fail` was called with
    if (this.failure !== null) return Promise.reject(this.failure);
    if (this.ended || this.complete) return Promise.resolve(bodyEnd);
    return new Promise((resolve, reject) => {
      this.waiter = { resolve, reject };
      this.flow();
    });
  }

  /** Stops reading; the stream stays open. */
  return(): Promise<IteratorReturnResult<undefined>> {
    this.ended = true;
    this.detach();
    this.stream.pause();
    this.settle(bodyEnd);
    return Promise.resolve(bodyEnd);
  }

  /** Rejects the pending and every later read, unless the body is complete. */
  fail(error: unknown): void {
    if (this.ended || this.complete || this.failure !== null) return;
    this.failure = error;
    this.detach();
    const { waiter } = this;
    this.waiter = null;
    waiter?.reject(error);
    this.endCollecting();
  }

  /** Fails the unread rest of an incomplete body at the end of its exchange, even if the rest has arrived: `node:http` drops it. */
  exchangeEnded(end: ExchangeEnd): void {
    if (!this.complete) this.fail(end === "aborted" ? clientDisconnected() : bodyOver()); // most bodies are complete, and creating an error is expensive
  }

  /** Stops listening; the connection handles what still arrives. */
  private detach(): void {
    this.queue.length = 0;
    this.stream.off("data", this.onData);
    this.stream.off("end", this.onEnd);
  }

  private flow(): void {
    if (this.started) {
      this.stream.resume();
      return;
    }
    this.started = true;
    this.events.beforeFirst();
    if (this.stream.readableEnded) return this.onEnd(); // an empty body ends without a reader
    this.stream.on("data", this.onData);
    this.stream.on("end", this.onEnd);
  }

  private readonly onData = (chunk: Uint8Array): void => {
    this.received += chunk.byteLength;
    if (this.received === this.length) this.complete = true;
    if (this.waiter !== null) this.settle({ done: false, value: chunk });
    else this.queue.push(chunk);
    if (this.complete) this.endCollecting();
    else if (this.onWhole === null && this.queue.length > 0) this.stream.pause();
  };

  private readonly onEnd = (): void => {
    if (this.complete) return;
    const error = this.events.endedEarly();
    if (error !== null) return this.fail(error);
    this.complete = true;
    this.settle(bodyEnd);
    this.endCollecting();
  };

  private endCollecting(): void {
    const { onWhole } = this;
    this.onWhole = null;
    onWhole?.();
  }

  private settle(result: IteratorResult<Uint8Array, undefined>): void {
    const { waiter } = this;
    this.waiter = null;
    waiter?.resolve(result);
  }
}
