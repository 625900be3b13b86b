import type { Message } from "./message.ts";

/** Receives the next message, or `null` at the end. */
export type Waiter = (message: Message | null) => void;

/** Queue of messages and waiting receivers. After its end it returns the remaining messages, then always `null`. */
export class Inbox {
  private readonly messages: Message[] = [];
  private readonly waiters: Waiter[] = [];
  /** The first waiting receiver, usually the only one. */
  private first: Waiter | null = null;
  private byteCount = 0;
  /** Lengths of the two lists: a message for the only waiting receiver accesses neither list. */
  private messageCount = 0;
  private waiting = 0;
  private hasEnded = false;

  /** Number of queued bytes. */
  get bytes(): number {
    return this.byteCount;
  }

  get length(): number {
    return this.messageCount;
  }

  /** Adds a message. Returns false if it was queued, true if it was delivered to a receiver or dropped after the end. */
  put(message: Message): boolean {
    if (this.hasEnded) return true;
    const waiter = this.first;
    if (waiter !== null) {
      this.first = this.waiting === 0 ? null : this.nextWaiter();
      waiter(message);
      return true;
    }
    this.messages.push(message);
    this.messageCount++;
    this.byteCount += message.data.byteLength;
    return false;
  }

  /** Removes and returns the oldest message; `null` after the end, `undefined` while empty. */
  take(): Message | null | undefined {
    const message = this.messageCount === 0 ? undefined : this.messages.shift();
    if (message === undefined) return this.hasEnded ? null : undefined;
    this.messageCount--;
    this.byteCount -= message.data.byteLength;
    return message;
  }

  /** Calls the waiter once with the next message or the end. Call it only after `take` has returned `undefined`. */
  wait(waiter: Waiter): void {
    if (this.first === null) this.first = waiter;
    else this.waiting = this.waiters.push(waiter);
  }

  end(): void {
    this.hasEnded = true;
    const first = this.first;
    this.first = null;
    first?.(null);
    this.waiting = 0;
    for (const waiter of this.waiters.splice(0)) waiter(null);
  }

  private nextWaiter(): Waiter | null {
    this.waiting--;
    return this.waiters.shift() ?? null;
  }
}
