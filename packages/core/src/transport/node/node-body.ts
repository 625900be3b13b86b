import type { IncomingMessage } from "node:http";
import { bodyEnd, bodyUsed } from "../wire/body-iteration.ts";

interface Waiter {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The chunks of a request's body, pulled one at a time; the socket is read no further than somebody wants.
 *
 * Giving up early (`return`) leaves the connection alone, which `Readable`'s own iterator would destroy.
 */
export class NodeBody implements AsyncIterableIterator<Uint8Array, undefined> {
  /** Bytes that arrived so far. */
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

  /** @param beforeFirst runs when the first chunk is asked for: the time to send `100 Continue` */
  constructor(message: IncomingMessage, length: number | null, beforeFirst: () => void) {
    this.message = message;
    this.length = length;
    this.beforeFirst = beforeFirst;
    this.ended = length === 0;
  }

  /** Whether somebody waits for the client to send more. */
  get waiting(): boolean {
    return this.waiter !== null;
  }

  /** Keeps all that arrives, though nobody asks for it yet, and calls back when it is the whole body. */
  collect(onWhole: () => void): void {
    this.onWhole = onWhole;
    this.flow();
  }

  /** Goes back to keeping one chunk at a time. */
  stopCollecting(): void {
    if (this.onWhole === null) return;
    this.onWhole = null;
    this.message.pause();
  }

  /** What was collected, in one piece, which may share its memory with the chunks. */
  whole(): Uint8Array {
    const { queue } = this;
    const [first] = queue;
    if (first !== undefined && queue.length === 1) {
      return new Uint8Array(first.buffer, first.byteOffset, first.byteLength); // not the `Buffer` that `node:http` gives
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
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the error of whoever ended the body, passed on as it is
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

  /** Makes the pending and every later pull fail, unless the body had arrived whole. */
  fail(error: unknown): void {
    if (this.ended || this.received === this.length) return;
    this.failure = error;
    this.detach();
    const { waiter } = this;
    this.waiter = null;
    waiter?.reject(error);
  }

  /** Takes no more chunks; what still arrives is the connection's to deal with. */
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
