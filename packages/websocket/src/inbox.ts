import type { Message } from "./message.ts";

/** Is called with the next message, or with `null` at the end. */
export type Waiter = (message: Message | null) => void;

/** Messages that wait for the handler, and callers that wait for messages; after its end it gives what is left and then `null`, for ever. */
export class Inbox {
  readonly #messages: Message[] = [];
  readonly #waiters: Waiter[] = [];
  /** The first of those who wait: mostly there is only one. */
  #first: Waiter | null = null;
  #bytes = 0;
  #ended = false;

  /** Bytes that wait; the sender is to be held back when they are too many. */
  get bytes(): number {
    return this.#bytes;
  }

  get length(): number {
    return this.#messages.length;
  }

  put(message: Message): void {
    if (this.#ended) return;
    const waiter = this.#first;
    if (waiter !== null) {
      this.#first = this.#waiters.length === 0 ? null : (this.#waiters.shift() ?? null);
      return waiter(message);
    }
    this.#messages.push(message);
    this.#bytes += message.data.byteLength;
  }

  /** The message that waits longest, `null` after the end, `undefined` while there is none. */
  take(): Message | null | undefined {
    const message = this.#messages.shift();
    if (message === undefined) return this.#ended ? null : undefined;
    this.#bytes -= message.data.byteLength;
    return message;
  }

  /** Calls back once with what comes next, when `take` gave nothing. */
  wait(waiter: Waiter): void {
    if (this.#first === null) this.#first = waiter;
    else this.#waiters.push(waiter);
  }

  end(): void {
    this.#ended = true;
    const first = this.#first;
    this.#first = null;
    first?.(null);
    for (const waiter of this.#waiters.splice(0)) waiter(null);
  }
}
