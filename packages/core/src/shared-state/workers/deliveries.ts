import type { PrimaryLink, PrimaryMessage } from "./primary-link.ts";
import type { Clock } from "../../runtime/clock.ts";

/** Bounds of what one worker may leave unacknowledged. */
export interface DeliveriesOptions {
  readonly timeoutMs: number;
  readonly maxUnacknowledged: number;
  readonly clock: Pick<Clock, "after">;
  /** Called once, when the bound is reached. */
  readonly onStuck: () => void;
}

/** Messages sent to one worker, until it acknowledges them. */
export class Deliveries {
  /** What ends the wait for each; kept past the deadline, so that a worker which never acknowledges is bounded too. */
  readonly #unacknowledged = new Map<number, () => void>();
  readonly #link: PrimaryLink;
  readonly #options: DeliveriesOptions;
  #lastId = 0;
  #closed = false;
  #stuck = false;

  constructor(link: PrimaryLink, options: DeliveriesOptions) {
    this.#link = link;
    this.#options = options;
  }

  /** Sends a message; resolves when the worker has acknowledged it, has had its time, or is gone. */
  deliver(channel: string, text: string): Promise<void> {
    const { timeoutMs, maxUnacknowledged, clock } = this.#options;
    if (this.#closed) return Promise.resolve();
    if (this.#unacknowledged.size >= maxUnacknowledged) {
      this.#reportStuck();
      return Promise.resolve();
    }
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(timeoutMs, resolve);
    this.#unacknowledged.set(id, () => {
      cancel();
      resolve();
    });
    this.send({ "@framework": "shared-state", type: "message", id, channel, text });
    return promise;
  }

  acknowledge(id: number): void {
    this.#unacknowledged.get(id)?.();
    this.#unacknowledged.delete(id);
  }

  /** Sends anything else to the same worker; what a dead worker would have got is dropped. */
  send(message: PrimaryMessage): void {
    if (this.#closed) return;
    try {
      this.#link.send(message);
    } catch {
      // The worker is gone: nobody waits for the answer, and `close` follows.
    }
  }

  /** The worker is gone: nothing more is sent, and nobody waits for it. */
  close(): void {
    this.#closed = true;
    for (const done of this.#unacknowledged.values()) done();
    this.#unacknowledged.clear();
  }

  #reportStuck(): void {
    if (this.#stuck) return;
    this.#stuck = true;
    this.#options.onStuck();
  }
}
