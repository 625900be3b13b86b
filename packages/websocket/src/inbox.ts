import type { Message } from "./message.ts";

type Waiter = (message: Message | null) => void;

/** Messages that wait for the handler, and callers that wait for messages; after its end it gives what is left and then `null`, for ever. */
export class Inbox {
  readonly #messages: Message[] = [];
  readonly #waiters: Waiter[] = [];
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
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) return waiter(message);
    this.#messages.push(message);
    this.#bytes += message.data.byteLength;
  }

  take(): Promise<Message | null> {
    const message = this.#messages.shift();
    if (message !== undefined) {
      this.#bytes -= message.data.byteLength;
      return Promise.resolve(message);
    }
    if (this.#ended) return Promise.resolve(null);
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  end(): void {
    this.#ended = true;
    for (const waiter of this.#waiters.splice(0)) waiter(null);
  }
}
