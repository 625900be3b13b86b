// Long, because the methods share the state of a consumer; its channels are in session.ts.
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

/** Dependencies of `RabbitMQConsumer`. */
export interface ConsumerParts {
  readonly link: Link;
  readonly config: RabbitMQConfig;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Redeclares the topology that this process has declared in mode `create`. */
  readonly redeclare: () => Promise<void>;
  /** Stores a copy of a delivery in its group's queue, for the next try. */
  readonly copy: (delivery: RabbitMQDelivery, queue: string, retry: RetrySettlement) => Promise<void>;
}

type RetrySettlement = Extract<Settlement, { action: "retry" }>;

/** Duration after which the end of a session resets the backoff. */
const STABLE_MS = 5000;
/** Longest wait for the server's response to a close or cancel. */
const CLOSE_MS = 5000;

/** Consumes the queues of one group. */
export class RabbitMQConsumer implements Consumer {
  private readonly parts: ConsumerParts;
  private readonly options: ConsumerOptions;
  private readonly queues: readonly { readonly topic: string; readonly queue: string }[];
  private readonly ending = new AbortController();
  private running: Promise<void> | null = null;
  private session: Session | null = null;
  /** Unsettled deliveries. */
  private readonly held = new Set<RabbitMQDelivery>();
  /** Messages that arrived while paused or stopped; at most the prefetch. */
  private waiting: RabbitMQDelivery[] = [];
  /** Topics from which the session has received a message. */
  private readonly activeOn = new Set<string>();
  /** Unacknowledged deliveries whose copy is stored: settling them again must not store another copy. */
  private readonly copied = new WeakSet<RabbitMQDelivery>();
  /** Deliveries that were settled in a call that failed partially, which messaging repeats. */
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
    // Cancelling would activate another consumer of an ordered queue, whose messages would overtake the messages that this consumer still holds.
    if (this.options.order !== "none") return;
    await this.withTimeLimit(this.session?.cancel());
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

  /** Excludes ordered queues from which this consumer has received nothing: they deliver only to their active consumer, and do not report which consumer that is. */
  async overdue(): Promise<number> {
    const { order } = this.options;
    const states = await this.queueStates(({ topic }) => order === "none" || this.activeOn.has(topic));
    return states.reduce((sum, { messageCount }) => sum + messageCount, this.waiting.length);
  }

  async close(): Promise<void> {
    await this.stop();
    if (this.isClosed) return;
    this.isClosed = true;
    await this.withTimeLimit(this.session?.close());
    await this.withTimeLimit(this.running ?? undefined);
    this.options.sink.state("closed");
  }

  private async queueStates(
    matches: (source: { readonly topic: string }) => boolean = () => true,
  ): Promise<readonly Replies.AssertQueue[]> {
    return await Promise.all(
      this.queues
        .filter(matches)
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
      const reason = await this.consume().catch((error: unknown) => this.explain(error));
      this.reportLost();
      if (this.isStopped) return;
      this.failures = clock.now() - from >= STABLE_MS ? 1 : this.failures + 1;
      sink.state("connecting", reason);
      await pause(clock, backoffMs(this.failures, random()), this.ending.signal);
    }
  }

  /** Consumes until the session ends. Resolves with the reason. */
  private async consume(): Promise<string> {
    const { link, redeclare } = this.parts;
    const model = await untilAborted(link.open(), this.ending.signal); // connecting may take much longer than a stop
    if (this.options.isPrivate) await this.declarePrivate();
    else await redeclare();
    const session = new Session({
      queues: this.queues,
      prefetch: this.prefetch,
      onMessage: (...arrival) => this.onMessage(...arrival),
    });
    this.session = session;
    try {
      await session.start(model);
      if (this.isStopped) await this.endAfterStop(session);
      else this.options.sink.state("running");
      return await session.ended;
    } finally {
      await this.withTimeLimit(session.close());
    }
  }

  /** Ends a session that started after the consumer was stopped: closes it if nothing is held, otherwise cancels the consumers of unordered queues. */
  private async endAfterStop(session: Session): Promise<void> {
    if (this.held.size === 0) await session.close();
    else if (this.options.order === "none") await session.cancel();
  }

  private get prefetch(): number {
    const { prefetch, topics, batchSize = 1 } = this.options;
    const min = batchSize === 1 ? 1 : 2 * batchSize; // one batch is collected while another is handled
    const whole = Math.min(prefetch, Math.max(this.parts.config.prefetchCount, min));
    return Math.max(1, Math.floor(whole / Math.max(1, topics.length)));
  }

  private onMessage(message: ConsumeMessage, channel: Channel, topic: string): void {
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

  /** Reports the deliveries of an ended session as lost: the server delivers them again. */
  private reportLost(): void {
    const lost = Array.from(this.held);
    this.session = null;
    this.held.clear();
    this.activeOn.clear();
    this.waiting = [];
    if (lost.length > 0) this.options.sink.lost(lost);
  }

  private async copy(delivery: RabbitMQDelivery, retry: RetrySettlement): Promise<void> {
    if (this.copied.has(delivery)) return;
    await this.parts.copy(delivery, groupQueue(delivery.topic, this.options.group), retry);
    this.copied.add(delivery);
  }

  /** Returns whether the delivery was held. */
  private acknowledge(delivery: RabbitMQDelivery): boolean {
    if (!this.held.delete(delivery)) return false;
    return attempt(() => delivery.channel.ack(delivery.message));
  }

  private explain(error: unknown): string {
    if (replyCode(error) !== NOT_FOUND) return reasonOf(error);
    return `${reasonOf(error)}; create the queue with "npx @framework/cli topology", or set topology: "create"`;
  }

  /** Declares private topics: their exchanges and queues are deleted with the connection. */
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
      "rabbitmq: handlers may exceed the server's consumer_timeout; lower timeoutMs or raise consumer_timeout",
      fields,
    );
  }

  /** Warns of deliveries that are unsettled for half of `consumerTimeoutMs`; at the whole time the server closes the channel. Returns a function that ends the checks. */
  private watch(): () => void {
    const { clock, config, log } = this.parts;
    const nearMs = config.consumerTimeoutMs / 2;
    return clock.every(Math.min(60_000, nearMs / 2), () => {
      const now = clock.now();
      const slow = Array.from(this.held).filter(({ arrivedAt }) => now - arrivedAt >= nearMs).length;
      const { group } = this.options;
      if (slow > 0)
        log.warn(
          "rabbitmq: deliveries have been unsettled for a long time; the server closes the channel at its consumer_timeout",
          {
            group,
            slow,
            consumerTimeoutMs: config.consumerTimeoutMs,
          },
        );
    });
  }

  private async withTimeLimit(work: Promise<void> | undefined): Promise<void> {
    if (work === undefined) return;
    const limit = new AbortController();
    const cancel = this.parts.clock.after(CLOSE_MS, () => limit.abort());
    await untilAborted(work, limit.signal).catch(() => {}); // the server does not respond: closing the connection ends it
    cancel();
  }
}

/** Runs a call that throws if its channel is closed. Returns whether it succeeded. */
const attempt = (call: () => void): boolean => {
  try {
    call();
    return true;
  } catch {
    return false; // the server redelivers the messages of a closed channel
  }
};
