import type { PrimaryLink, PrimaryMessage } from "./primary-link.ts";
import type { Clock } from "../../runtime/clock.ts";

/** Bounds on unacknowledged messages of one worker. */
export interface DeliveriesOptions {
  readonly timeoutMs: number;
  readonly maxUnacknowledged: number;
  readonly clock: Pick<Clock, "after">;
  /** Called once when the bound is reached. */
  readonly onStuck: () => void;
}

/** The unacknowledged messages of one worker. */
export class Deliveries {
  /** Functions that end each wait. Kept past the timeout, so that messages which are never acknowledged count against the bound. */
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

  /** Sends a message. Resolves when the worker acknowledges it, times out or exits. */
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

  /** Sends another message to the worker; messages to an exited worker are dropped. */
  send(message: PrimaryMessage): void {
    if (this.#closed) return;
    try {
      this.#link.send(message);
    } catch {
      // The worker has exited and needs no answer; `close` follows.
    }
  }

  /** Ends every wait after the worker has exited; nothing more is sent. */
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
