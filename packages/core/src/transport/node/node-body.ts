import type { IncomingMessage } from "node:http";
import { bodyEnd, bodyUsed } from "../wire/body-iteration.ts";

interface Waiter {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Chunks of a request's body, pulled one at a time, with back-pressure to the socket.
 *
 * An early `return` leaves the connection open; the iterator of `Readable` would destroy it.
 */
export class NodeBody implements AsyncIterableIterator<Uint8Array, undefined> {
  /** Bytes received so far. */
  received = 0;
  private readonly message: IncomingMessage;
  private readonly length: number | null;
  private readonly beforeFirst: () => void;
  private readonly queue: Uint8Array[] = [];
  private waiter: Waiter | null = null;
  private onWhole: (() => void) | null = null;
  private failure: unknown = null;
  private started = false;
  private ended = false;
  private taken = false;

  /** @param beforeFirst called before the first read, to send `100 Continue` */
  constructor(message: IncomingMessage, length: number | null, beforeFirst: () => void) {
    this.message = message;
    this.length = length;
    this.beforeFirst = beforeFirst;
    this.ended = length === 0;
  }

  /** Whether a reader waits for the client to send more. */
  get waiting(): boolean {
    return this.waiter !== null;
  }

  /** Reads the whole body into memory ahead of any reader, and calls `onWhole` when it is complete. */
  collect(onWhole: () => void): void {
    this.onWhole = onWhole;
    this.flow();
  }

  /** Goes back to reading one chunk at a time. */
  stopCollecting(): void {
    if (this.onWhole === null) return;
    this.onWhole = null;
    this.message.pause();
  }

  /** The collected body as one array, which may share memory with its chunks. */
  whole(): Uint8Array {
    const { queue } = this;
    const [first] = queue;
    if (first !== undefined && queue.length === 1) {
      return new Uint8Array(first.buffer, first.byteOffset, first.byteLength); // a plain Uint8Array, not a Buffer
    }
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

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const chunk = this.queue.shift();
    if (chunk !== undefined) return Promise.resolve({ done: false, value: chunk });
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- passes on the value that `fail` was called with
    if (this.failure !== null) return Promise.reject(this.failure);
    if (this.ended || this.received === this.length) return Promise.resolve(bodyEnd);
    return new Promise((resolve, reject) => {
      this.waiter = { resolve, reject };
      this.flow();
    });
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.ended = true;
    this.detach();
    this.settle(bodyEnd);
    return Promise.resolve(bodyEnd);
  }

  /** Rejects the pending and every later read, unless the body is complete. */
  fail(error: unknown): void {
    if (this.ended || this.received === this.length) return;
    this.failure = error;
    this.detach();
    const { waiter } = this;
    this.waiter = null;
    waiter?.reject(error);
  }

  /** Stops listening; the connection handles what still arrives. */
  private detach(): void {
    this.queue.length = 0;
    this.message.off("data", this.onData);
    this.message.off("end", this.onEnd);
  }

  private flow(): void {
    if (this.started) {
      this.message.resume();
      return;
    }
    this.started = true;
    this.beforeFirst();
    this.message.on("data", this.onData);
    if (this.length === null) this.message.on("end", this.onEnd);
  }

  private readonly onData = (chunk: Uint8Array): void => {
    this.received += chunk.byteLength;
    if (this.waiter !== null) return this.settle({ done: false, value: chunk });
    this.queue.push(chunk);
    if (this.onWhole === null) this.message.pause();
    else if (this.received === this.length) this.collected(this.onWhole);
  };

  private collected(onWhole: () => void): void {
    this.onWhole = null;
    onWhole();
  }

  private readonly onEnd = (): void => {
    this.ended = true;
    this.settle(bodyEnd);
  };

  private settle(result: IteratorResult<Uint8Array, undefined>): void {
    const { waiter } = this;
    this.waiter = null;
    waiter?.resolve(result);
  }
}
