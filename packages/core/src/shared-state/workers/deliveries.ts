import type { PrimaryLink, PrimaryMessage } from "./primary-link.ts";

/** Bounds on unacknowledged messages of one worker. */
export interface DeliveriesOptions {
  readonly maxUnacknowledged: number;
  /** Called once, when a message is not sent because of the bound. */
  readonly onStuck: () => void;
}

/**
 * The unacknowledged messages of one worker.
 *
 * A wait has no timeout: the channel loses no message, so a worker that does not acknowledge is busy or has exited. The publisher has a timeout.
 */
export class Deliveries {
  private readonly unacknowledged = new Map<number, () => void>();
  private readonly exit: PromiseWithResolvers<void> = Promise.withResolvers<void>();
  private readonly link: PrimaryLink;
  private readonly options: DeliveriesOptions;
  private lastId = 0;
  private closed = false;
  private stuck = false;

  constructor(link: PrimaryLink, options: DeliveriesOptions) {
    this.link = link;
    this.options = options;
  }

  /**
   * Sends a message. Resolves when the worker has acknowledged it or has exited. At the bound nothing is sent, and the promise resolves only at the exit.
   */
  deliver(channel: string, text: string): Promise<void> {
    if (this.closed) return Promise.resolve();
    if (this.unacknowledged.size >= this.options.maxUnacknowledged) {
      this.reportStuck();
      return this.exit.promise;
    }
    const id = ++this.lastId;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.unacknowledged.set(id, resolve);
    this.send({ "@framework": "shared-state", type: "message", id, channel, text });
    return promise;
  }

  acknowledge(id: number): void {
    this.unacknowledged.get(id)?.();
    this.unacknowledged.delete(id);
  }

  /** Sends a message without waiting for an acknowledgement; messages to an exited worker are dropped. */
  send(message: PrimaryMessage): void {
    if (this.closed) return;
    try {
      this.link.send(message);
    } catch {
      // The worker has exited and needs no response; `close` follows.
    }
  }

  /** Ends all waits after the exit of the worker; further messages are dropped. */
  close(): void {
    this.closed = true;
    this.exit.resolve();
    for (const done of this.unacknowledged.values()) done();
    this.unacknowledged.clear();
  }

  private reportStuck(): void {
    if (this.stuck) return;
    this.stuck = true;
    this.options.onStuck();
  }
}
