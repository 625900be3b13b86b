import type { Logger } from "@framework/core";
import { type Clock, markHandled, keepAlive } from "@framework/core/feature";
import { decode } from "../envelope/decode.ts";
import type { Event } from "../envelope/event.ts";
import { REPLY_OF } from "../envelope/own-headers.ts";
import { messagingError } from "../errors/messaging-error.ts";
import type { Broker, Consumer } from "../port/broker-adapter.ts";
import type { Delivery } from "../port/delivery.ts";
import type { ConsumerState, Sink } from "../port/sink.ts";
import { replyTopicOf } from "./reply-topics.ts";

/** Dependencies of `ReplyInbox`. */
export interface ReplyInboxParts {
  readonly broker: Broker;
  /** Unique id of this process. */
  readonly instance: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Maximum number of pending requests of one process on one broker. */
const MAX_PENDING = 10_000;

/** Receives the replies to the requests of this process, in a private topic. */
export class ReplyInbox implements Sink {
  readonly topic: string;
  private readonly parts: ReplyInboxParts;
  /** Pending requests by id; a request that is sent twice has two resolvers for one reply. */
  private readonly pending = new Map<string, Set<(reply: Event | null) => void>>();
  private waiting = 0;
  private release: () => void = () => {};
  /** Requests that wait until the consumer runs; `null` while it does. */
  private unready: Set<() => void> | null = new Set();
  private readonly consumer: Consumer;

  constructor(parts: ReplyInboxParts) {
    this.parts = parts;
    this.topic = replyTopicOf(parts.instance);
    this.consumer = parts.broker.consumer({
      topics: [this.topic],
      pattern: null,
      group: parts.instance,
      order: "none",
      prefetch: 1000,
      from: "latest",
      isPrivate: true,
      timeoutMs: 1000,
      sink: this,
    });
    this.consumer.start();
  }

  /**
   * Sends a request and resolves with its reply; `null` if there is none within `timeoutMs`, which includes the send, or before `close`.
   *
   * @throws MESSAGING_SEND_FAILED with 10,000 pending requests; the errors of `send`
   */
  async request(id: string, send: () => Promise<unknown>, timeoutMs: number): Promise<Event | null> {
    if (this.waiting >= MAX_PENDING)
      throw messagingError("MESSAGING_SEND_FAILED", `${MAX_PENDING} requests wait for their replies`);
    const { promise, resolve } = Promise.withResolvers<Event | null>();
    let hasEnded = false;
    void promise.then(() => (hasEnded = true));
    const unregister = this.register(id, resolve);
    const cancel = this.parts.clock.after(timeoutMs, () => resolve(null));
    try {
      while (this.unready !== null && !hasEnded) await this.untilReady(this.unready, promise);
      if (!hasEnded) await Promise.race([markHandled(send()), promise]);
      return await promise;
    } finally {
      cancel();
      unregister();
    }
  }

  /** Waits until the consumer runs, or until the request ends. */
  private async untilReady(unready: Set<() => void>, ended: Promise<unknown>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    unready.add(resolve);
    await Promise.race([promise, ended]);
    unready.delete(resolve);
  }

  /** Registers a resolver for the reply to an id. Returns a function that removes it. */
  private register(id: string, resolve: (reply: Event | null) => void): () => void {
    const resolvers = this.pending.get(id) ?? new Set();
    this.pending.set(id, resolvers.add(resolve));
    if (this.waiting++ === 0) this.release = keepAlive(); // the clock's timers do not keep a script running
    return () => {
      if (--this.waiting === 0) this.release();
      resolvers.delete(resolve);
      if (resolvers.size === 0) this.pending.delete(id);
    };
  }

  async close(): Promise<void> {
    for (const resolvers of this.pending.values()) for (const resolve of resolvers) resolve(null);
    await this.consumer.close();
  }

  room(): number {
    return 1000;
  }

  async whenRoom(): Promise<void> {}

  deliver(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) this.take(delivery);
    const settlements = deliveries.map((delivery) => ({ delivery, action: "done" }) as const);
    const warn = (error: unknown): void =>
      this.parts.log.warn("messaging: replies were not settled", { error });
    void this.consumer.settle(settlements).catch(warn); // a redelivered reply is dropped
  }

  lost(): void {}

  revoked(): void {}

  suspend(): void {}

  proceed(): void {}

  isAlive(): boolean {
    return true;
  }

  isPartitionAlive(): boolean {
    return true;
  }

  state(state: ConsumerState): void {
    if (state === "connecting") this.unready ??= new Set(); // a reply would be lost
    if (state !== "running" || this.unready === null) return;
    for (const resolve of this.unready) resolve();
    this.unready = null;
  }

  /** Resolves the requests of a reply; drops a reply without a request. */
  private take(delivery: Delivery): void {
    try {
      const event = decode(delivery, false);
      const resolvers = this.pending.get(event.headers[REPLY_OF] ?? "") ?? [];
      for (const resolve of resolvers) resolve(event);
    } catch (error) {
      this.parts.log.warn("messaging: a reply cannot be decoded", { error });
    }
  }
}
