import type { Event } from "../envelope/event.ts";
import { headerLength } from "../envelope/own-headers.ts";
import type { Delivery } from "../port/delivery.ts";

/** State of a delivery in this process. */
export type EntryState = "queued" | "running" | "waiting" | "settling" | "released";

/** A delivery that a subscription is processing. */
export class Entry {
  /** The latest delivery of the message: settle with this one. */
  delivery: Delivery;
  /** Entries of one lane run one at a time, in order; `null` for none. */
  readonly lane: string | null;
  /** Bytes of the body, text as UTF-8. */
  readonly bytes: number;
  /** Approximate memory: bytes of the body, characters of key and headers, and bytes of `original`. */
  readonly heldBytes: number;
  /** The event of the latest try that decoded it; `null` before the first. */
  event: Event | null = null;
  /** Tries made so far, in this process and before. */
  tries = 0;
  state: EntryState = "queued";
  /** Time at which its first try in this process began, in Unix milliseconds; `null` before. */
  firstAt: number | null = null;
  /** Whether a transaction of the inbox has settled the delivery. */
  isSettled = false;
  /** Whether it is finished in the window of its partition. */
  isFinished = false;
  /** Whether only its settlement is outstanding. */
  isEnding = false;
  /** Whether its handler has returned, and its reply is being sent, which has the time limit of sends. */
  isHandled = false;
  /** Whether its handler ignores its signal. */
  isStuck = false;
  /** Cancels the wait for the next try. */
  cancelWait: (() => void) | null = null;
  private controller: AbortController | null = null;
  private reason: Error | null = null;

  constructor(delivery: Delivery, lane: string | null) {
    this.delivery = delivery;
    this.lane = lane;
    const { body, key, headers, original } = delivery;
    this.bytes = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
    this.heldBytes = this.bytes + (key?.length ?? 0) + headerLength(headers) + (original?.bytes ?? 0);
  }

  /** Whether it is no longer held: settled, finished in its window, or lost to another consumer. */
  get isReleased(): boolean {
    return this.state === "released";
  }

  /** Created on first access: most handlers do not use it. */
  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController();
      if (this.reason !== null) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  abort(reason: Error): void {
    this.reason = reason;
    this.controller?.abort(reason);
  }

  /** Gives the next try a new signal. */
  renewSignal(): void {
    this.controller = null;
    this.reason = null;
  }
}
