import type { IncomingMessage } from "node:http";
import { FrameworkError } from "../errors/framework-error.ts";

const over: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });

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

  /** @throws CORE_BODY_USED the second time */
  [Symbol.asyncIterator](): this {
    if (this.taken) {
      throw new FrameworkError(
        "CORE_BODY_USED",
        "the request's body can be streamed once; it was taken before",
      );
    }
    this.taken = true;
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const chunk = this.queue.shift();
    if (chunk !== undefined) return Promise.resolve({ done: false, value: chunk });
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the error of whoever ended the body, passed on as it is
    if (this.failure !== null) return Promise.reject(this.failure);
    if (this.ended || this.received === this.length) return Promise.resolve(over);
    return new Promise((resolve, reject) => {
      this.waiter = { resolve, reject };
      this.flow();
    });
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.ended = true;
    this.detach();
    this.settle(over);
    return Promise.resolve(over);
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
    this.message.on("end", this.onEnd);
  }

  private readonly onData = (chunk: Uint8Array): void => {
    this.received += chunk.byteLength;
    if (this.waiter !== null) return this.settle({ done: false, value: chunk });
    this.queue.push(chunk);
    this.message.pause();
  };

  private readonly onEnd = (): void => {
    this.ended = true;
    this.settle(over);
  };

  private settle(result: IteratorResult<Uint8Array, undefined>): void {
    const { waiter } = this;
    this.waiter = null;
    waiter?.resolve(result);
  }
}
