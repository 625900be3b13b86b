import type { ServerHttp2Stream } from "node:http2";
import { bodyEnd, bodyUsed } from "@framework/core/feature";

interface Waiter {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/** What a body tells its exchange. */
export interface BodyEvents {
  /** Called before the first read, to send `100 Continue`. */
  beforeFirst(): void;
  /** Bytes of the body arrived. */
  arrived(bytes: number): void;
  /** Creates the error for a body that the client has abandoned. */
  gone(): unknown;
}

/**
 * Chunks of a request's body, pulled one at a time: a stream that is not read gets no more window than its first one. An early `return` leaves the
 * stream open.
 */
export class RequestBody implements AsyncIterableIterator<Uint8Array, undefined> {
  /** Bytes received so far. */
  received = 0;
  /** Whether the client has sent all of it. */
  complete = false;
  private readonly stream: ServerHttp2Stream;
  private readonly length: number | null;
  private readonly events: BodyEvents;
  private readonly queue: Uint8Array[] = [];
  private waiter: Waiter | null = null;
  private onWhole: (() => void) | null = null;
  private failure: unknown = null;
  private started = false;
  private ended = false;
  private taken = false;

  constructor(stream: ServerHttp2Stream, length: number | null, events: BodyEvents) {
    this.stream = stream;
    this.length = length;
    this.events = events;
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

  /** Goes back to reading one chunk at a time. */
  stopCollecting(): void {
    if (this.onWhole === null) return;
    this.onWhole = null;
    this.stream.pause();
  }

  /** The collected body, which may share memory with its chunks; `null` if it is incomplete. */
  whole(): Uint8Array | null {
    if (!this.complete) return null;
    const { queue } = this;
    const [first] = queue;
    if (first !== undefined && queue.length === 1)
      return new Uint8Array(first.buffer, first.byteOffset, first.byteLength); // a plain Uint8Array, not a Buffer
    return new Uint8Array(Buffer.concat(queue));
  }

  /** @throws CORE_BODY_USED the second time */
  [Symbol.asyncIterator](): this {
    if (this.taken) throw bodyUsed();
    this.taken = true;
    return this;
  }

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

  return(): Promise<IteratorReturnResult<undefined>> {
    this.ended = true;
    this.queue.length = 0;
    this.stream.off("data", this.onData);
    this.stream.pause();
    this.settle(bodyEnd);
    return Promise.resolve(bodyEnd);
  }

  /** Rejects the pending and every later read, unless the body is complete. */
  fail(error: unknown): void {
    if (this.ended || this.complete || this.failure !== null) return;
    this.failure = error;
    this.queue.length = 0;
    this.stream.off("data", this.onData);
    const { waiter, onWhole } = this;
    this.waiter = null;
    this.onWhole = null;
    waiter?.reject(error);
    onWhole?.();
  }

  private flow(): void {
    if (!this.started) {
      this.started = true;
      this.events.beforeFirst();
      this.stream.on("data", this.onData);
      this.stream.on("end", this.onEnd);
    }
    this.stream.resume();
  }

  private readonly onData = (chunk: Uint8Array): void => {
    this.received += chunk.byteLength;
    this.events.arrived(chunk.byteLength);
    if (this.received === this.length) this.complete = true;
    if (this.waiter !== null) this.settle({ done: false, value: chunk });
    else this.queue.push(chunk);
    if (this.complete) this.collected();
    else if (this.onWhole === null && this.waiter === null) this.stream.pause();
  };

  private collected(): void {
    const { onWhole } = this;
    this.onWhole = null;
    onWhole?.();
  }

  /** A stream that the client has reset ends too, as aborted. */
  private readonly onEnd = (): void => {
    if (this.complete) return;
    if (this.stream.aborted || this.stream.rstCode !== 0) return this.fail(this.events.gone());
    this.complete = true;
    this.settle(bodyEnd);
    this.collected();
  };

  private settle(result: IteratorResult<Uint8Array, undefined>): void {
    const { waiter } = this;
    this.waiter = null;
    waiter?.resolve(result);
  }
}
