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
  /** How many there are in the two lists, which a message that is waited for need not touch. */
  #length = 0;
  #waiting = 0;
  #ended = false;

  /** Bytes that wait; the sender is to be held back when they are too many. */
  get bytes(): number {
    return this.#bytes;
  }

  get length(): number {
    return this.#length;
  }

  /** Whether the message need not wait: it went to whoever waited for it, or nobody will ask any more. */
  put(message: Message): boolean {
    if (this.#ended) return true;
    const waiter = this.#first;
    if (waiter !== null) {
      this.#first = this.#waiting === 0 ? null : this.#nextWaiter();
      waiter(message);
      return true;
    }
    this.#messages.push(message);
    this.#length++;
    this.#bytes += message.data.byteLength;
    return false;
  }

  /** The message that waits longest, `null` after the end, `undefined` while there is none. */
  take(): Message | null | undefined {
    const message = this.#length === 0 ? undefined : this.#messages.shift();
    if (message === undefined) return this.#ended ? null : undefined;
    this.#length--;
    this.#bytes -= message.data.byteLength;
    return message;
  }

  /** Calls back once with what comes next, when `take` gave nothing. */
  wait(waiter: Waiter): void {
    if (this.#first === null) this.#first = waiter;
    else this.#waiting = this.#waiters.push(waiter);
  }

  end(): void {
    this.#ended = true;
    const first = this.#first;
    this.#first = null;
    first?.(null);
    this.#waiting = 0;
    for (const waiter of this.#waiters.splice(0)) waiter(null);
  }

  #nextWaiter(): Waiter | null {
    this.#waiting--;
    return this.#waiters.shift() ?? null;
  }
}
