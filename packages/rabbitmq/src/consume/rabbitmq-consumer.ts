// One file: the states of a consumer; what it does with the server is in session.ts and settle.ts.
import {
  backoffMs,
  type Consumer,
  type ConsumerOptions,
  type Delivery,
  pause,
  type Settlement,
  untilAborted,
} from "@framework/messaging/adapter";
import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { Channel, ConsumeMessage, Replies } from "amqplib";
import type { Link } from "../connection/link.ts";
import { NOT_FOUND, reasonOf, replyCode } from "../connection/server-error.ts";
import { withChannel } from "../connection/with-channel.ts";
import type { RabbitMQConfig } from "../rabbitmq-config.ts";
import { groupQueue } from "../topology/names.ts";
import { RabbitMQDelivery } from "./rabbitmq-delivery.ts";
import { Session } from "./session.ts";

/** What a consumer needs of its broker. */
export interface ConsumerParts {
  readonly link: Link;
  readonly config: RabbitMQConfig;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Creates again what this process created. */
  readonly again: () => Promise<void>;
  /** Stores a copy of a delivery in the queue of its group, for its next try. */
  readonly copy: (delivery: RabbitMQDelivery, queue: string, retry: RetryOf) => Promise<void>;
}

type RetryOf = Extract<Settlement, { action: "retry" }>;

/** A session that lived for so long was a good one. */
const STABLE_MS = 5000;
/** Longest wait for the server's answer to an orderly end. */
const CLOSE_MS = 5000;

/** Consumes the queues of one group. */
export class RabbitMQConsumer implements Consumer {
  private readonly parts: ConsumerParts;
  private readonly options: ConsumerOptions;
  private readonly queues: readonly { readonly topic: string; readonly queue: string }[];
  private readonly ending = new AbortController();
  private running: Promise<void> | null = null;
  private session: Session | null = null;
  /** What was handed over and is not settled. */
  private readonly held = new Set<RabbitMQDelivery>();
  /** What arrived while nothing may be handed over; at most the prefetch. */
  private waiting: RabbitMQDelivery[] = [];
  /** Topics of which the session has got a message. */
  private readonly activeOn = new Set<string>();
  /** Deliveries whose copy is stored, but which are not acknowledged: settling them again must store no second one. */
  private readonly copied = new WeakSet<RabbitMQDelivery>();
  /** Settled in a call of which another part failed: messaging repeats all of it. */
  private readonly settledBefore = new WeakSet<Delivery>();
  private isPaused = false;
  private isClosed = false;
  private failures = 0;
  private cancelWatch: () => void = () => {};

  constructor(parts: ConsumerParts, options: ConsumerOptions) {
    const { topics, group, isPrivate } = options;
    this.parts = parts;
    this.options = options;
    this.queues = topics.map((topic) => ({ topic, queue: isPrivate ? topic : groupQueue(topic, group) }));
  }

  start(): void {
    if (this.running !== null || this.isStopped) return;
    this.warnOfSlowLimit();
    this.running = this.run();
    this.cancelWatch = this.watch();
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    if (!this.isStopped) this.handOver(this.waiting.splice(0));
  }

  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.ending.abort();
    this.cancelWatch();
    // Cancelling would make another consumer of an ordered queue active while this one still holds messages, which it would overtake.
    if (this.options.order !== "none") return;
    await this.inTime(this.session?.cancel());
    for (const { channel, message } of this.waiting.splice(0)) attempt(() => channel.nack(message));
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly Delivery[]> {
    const [done, lost]: [Delivery[], Delivery[]] = [[], []];
    const end = (delivery: RabbitMQDelivery): void =>
      void (this.acknowledge(delivery) ? done : lost).push(delivery);
    const copies: Promise<void>[] = [];
    for (const settlement of settlements) {
      const { delivery } = settlement;
      if (this.settledBefore.has(delivery)) continue;
      if (!(delivery instanceof RabbitMQDelivery) || !this.held.has(delivery)) lost.push(delivery);
      else if (settlement.action === "done") end(delivery);
      else copies.push(this.copy(delivery, settlement).then(() => end(delivery)));
    }
    if (copies.length === 0) return lost;
    const failed = (await Promise.allSettled(copies)).find(({ status }) => status === "rejected");
    if (failed?.status !== "rejected") return lost;
    for (const delivery of done) this.settledBefore.add(delivery);
    throw failed.reason;
  }

  async lag(): Promise<number> {
    const states = await this.queueStates();
    return states.reduce((sum, { messageCount }) => sum + messageCount, this.waiting.length);
  }

  /** An ordered queue delivers to one of its consumers for as long as that consumes, and does not say which: it is the one that got a message. */
  async overdue(): Promise<number> {
    const { order } = this.options;
    const states = await this.queueStates(({ topic }) => order === "none" || this.activeOn.has(topic));
    return states.reduce((sum, { messageCount }) => sum + messageCount, this.waiting.length);
  }

  async close(): Promise<void> {
    await this.stop();
    if (this.isClosed) return;
    this.isClosed = true;
    await this.inTime(this.session?.close());
    await this.inTime(this.running ?? undefined);
    this.options.sink.state("closed");
  }

  private async queueStates(
    isMeant: (source: { readonly topic: string }) => boolean = () => true,
  ): Promise<readonly Replies.AssertQueue[]> {
    return await Promise.all(
      this.queues
        .filter(isMeant)
        .map(({ queue }) => withChannel(this.parts.link, (channel) => channel.checkQueue(queue))),
    );
  }

  private get isStopped(): boolean {
    return this.ending.signal.aborted;
  }

  private async run(): Promise<void> {
    const { clock, random } = this.parts;
    const { sink } = this.options;
    while (!this.isStopped) {
      const from = clock.now();
      const reason = await this.consume().catch((error: unknown) => this.explained(error));
      this.ended();
      if (this.isStopped) return;
      this.failures = clock.now() - from >= STABLE_MS ? 1 : this.failures + 1;
      sink.state("connecting", reason);
      await pause(clock, backoffMs(this.failures, random()), this.ending.signal);
    }
  }

  /** Consumes until the session ends, and returns why it did. */
  private async consume(): Promise<string> {
    const { link, again } = this.parts;
    const model = await link.open();
    if (this.options.isPrivate) await this.declarePrivate();
    else await again();
    const session = new Session({
      queues: this.queues,
      order: this.options.order,
      prefetch: this.prefetch,
      arrived: (...arrival) => this.arrived(...arrival),
    });
    this.session = session;
    try {
      await session.start(model);
      if (this.isStopped) await this.cancelLate(session);
      else this.options.sink.state("running");
      return await session.ended;
    } finally {
      await this.inTime(session.close());
    }
  }

  /** A consumer that was stopped while it began to consume. */
  private async cancelLate(session: Session): Promise<void> {
    if (this.held.size === 0) await session.close();
    else if (this.options.order === "none") await session.cancel();
  }

  private get prefetch(): number {
    const { prefetch, topics, batchSize = 1 } = this.options;
    const least = batchSize === 1 ? 1 : 2 * batchSize; // one is filled while another one is handled
    const whole = Math.min(prefetch, Math.max(this.parts.config.prefetchCount, least));
    return Math.max(1, Math.floor(whole / Math.max(1, topics.length)));
  }

  private arrived(message: ConsumeMessage, channel: Channel, topic: string): void {
    this.activeOn.add(topic);
    const delivery = new RabbitMQDelivery(message, channel, { topic, now: this.parts.clock.now() });
    if (this.isPaused || this.isStopped) this.waiting.push(delivery);
    else this.handOver([delivery]);
  }

  private handOver(deliveries: readonly RabbitMQDelivery[]): void {
    if (deliveries.length === 0) return;
    for (const delivery of deliveries) this.held.add(delivery);
    this.options.sink.deliver(deliveries);
  }

  /** Forgets the deliveries of a session that has ended: the server delivers them again. */
  private ended(): void {
    const lost = Array.from(this.held);
    this.session = null;
    this.held.clear();
    this.activeOn.clear();
    this.waiting = [];
    if (lost.length > 0) this.options.sink.lost(lost);
  }

  private async copy(delivery: RabbitMQDelivery, retry: RetryOf): Promise<void> {
    if (this.copied.has(delivery)) return;
    await this.parts.copy(delivery, groupQueue(delivery.topic, this.options.group), retry);
    this.copied.add(delivery);
  }

  /** Returns whether the delivery was held. */
  private acknowledge(delivery: RabbitMQDelivery): boolean {
    if (!this.held.delete(delivery)) return false;
    return attempt(() => delivery.channel.ack(delivery.message));
  }

  private explained(error: unknown): string {
    if (replyCode(error) !== NOT_FOUND) return reasonOf(error);
    return `${reasonOf(error)}; create the queue with "npx @framework/cli topology", or set topology: "create"`;
  }

  /** A topic of this process: its exchange and queue vanish with the connection. */
  private async declarePrivate(): Promise<void> {
    await withChannel(this.parts.link, async (channel) => {
      for (const { topic, queue } of this.queues) {
        await channel.assertExchange(topic, "fanout", { durable: false, autoDelete: true });
        await channel.assertQueue(queue, { durable: false, exclusive: true, autoDelete: true });
        await channel.bindQueue(queue, topic, "");
      }
    });
  }

  private warnOfSlowLimit(): void {
    const { config, log } = this.parts;
    const { timeoutMs, group } = this.options;
    if (timeoutMs < config.consumerTimeoutMs / 2) return;
    const fields = { group, timeoutMs, consumerTimeoutMs: config.consumerTimeoutMs };
    log.warn(
      "rabbitmq: handlers may take longer than the server waits for an acknowledgement; lower timeoutMs or raise consumer_timeout",
      fields,
    );
  }

  /** Warns of deliveries that come near the server's time limit, at which it closes the channel. */
  private watch(): () => void {
    const { clock, config, log } = this.parts;
    const nearMs = config.consumerTimeoutMs / 2;
    return clock.every(Math.min(60_000, nearMs / 2), () => {
      const now = clock.now();
      const slow = Array.from(this.held).filter(({ arrivedAt }) => now - arrivedAt >= nearMs).length;
      const { group } = this.options;
      if (slow > 0)
        log.warn(
          "rabbitmq: deliveries are unsettled for long; the server closes the channel at its consumer_timeout",
          {
            group,
            slow,
            consumerTimeoutMs: config.consumerTimeoutMs,
          },
        );
    });
  }

  private async inTime(work: Promise<void> | undefined): Promise<void> {
    if (work === undefined) return;
    const limit = new AbortController();
    const cancel = this.parts.clock.after(CLOSE_MS, () => limit.abort());
    await untilAborted(work, limit.signal).catch(() => {}); // the server does not answer: the connection ends it
    cancel();
  }
}

/** Runs a call that throws when its channel has ended. Returns whether it did not. */
const attempt = (call: () => void): boolean => {
  try {
    call();
    return true;
  } catch {
    return false; // the deliveries of an ended channel are delivered again
  }
};
