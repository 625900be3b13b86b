// Long, because the methods share the state of a consumer; the requests to SQS are in receiver.ts, held-deliveries.ts and settle.ts.
import type { Message } from "@aws-sdk/client-sqs";
import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import {
  backoffMs,
  type Consumer,
  type ConsumerOptions,
  type Delivery,
  pause,
  type Settlement,
  untilAborted,
} from "@framework/messaging/adapter";
import type { SqsApi } from "../client/sqs-api.ts";
import { isMissing, reasonOf, unavailable } from "../client/sqs-error.ts";
import type { KnownQueues, Queue } from "../queues/known-queues.ts";
import { groupQueue } from "../queues/queue-names.ts";
import type { SqsConfig } from "../sqs-config.ts";
import { HeldDeliveries } from "./held-deliveries.ts";
import { receiveFrom, type ReceiverParts } from "./receiver.ts";
import { Room } from "./room.ts";
import { settle, type SqsSettlement } from "./settle.ts";
import { type Share, sharesOf } from "./shares.ts";
import { SqsDelivery } from "./sqs-delivery.ts";

/** Dependencies of `SqsConsumer`. */
export interface SqsConsumerParts {
  readonly api: SqsApi;
  readonly queues: KnownQueues;
  readonly config: SqsConfig;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Recreates the queues that this process has declared in mode `create`. */
  readonly recreate: () => Promise<void>;
}

/** A queue with its topic. */
interface Source {
  readonly topic: string;
  readonly queue: Queue;
}

/** Duration of receiving after which a failure resets the backoff. */
const STABLE_MS = 5000;
/** Time for which a stop waits for pending requests: after an abort, messages of their responses would stay hidden until the visibility timeout. */
const STOP_MS = 100;
/** Assumed time until SQS has detected an aborted request. */
const DETECTION_MS = 200;
/** Assumed maximum time in which a response of SQS arrives. */
const RESPONSE_MS = 1000;
/** Longest wait for releasing messages. */
const CLOSE_MS = 5000;

/** Consumes the queues of one group. */
export class SqsConsumer implements Consumer {
  private readonly parts: SqsConsumerParts;
  private readonly options: ConsumerOptions;
  /** Room of each receiver. */
  private rooms: readonly Room[] = [];
  private readonly held: HeldDeliveries;
  private readonly stopping = new AbortController();
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private hasStarted = false;
  /** Time at which SQS is assumed to have detected the aborted requests. */
  private detectedAt = 0;
  private isPaused = false;
  private isClosed = false;
  private resumed = Promise.withResolvers<void>();
  /** Pending releases of messages that arrived while paused or stopping, for other processes. */
  private releasing: Promise<unknown> = Promise.resolve();
  private readonly copied = new WeakSet<SqsDelivery>();
  /** Deliveries that were settled in a call that failed partially, which messaging repeats. */
  private readonly settledBefore = new WeakSet<Delivery>();

  constructor(parts: SqsConsumerParts, options: ConsumerOptions) {
    const { sink } = options;
    this.parts = parts;
    this.options = options;
    this.held = new HeldDeliveries({
      ...parts,
      visibilityTimeoutSecs: parts.config.visibilityTimeoutSecs,
      isAlive: (delivery) => sink.isAlive(delivery),
      onLost: (deliveries) => sink.lost(deliveries),
      onReleased: () => this.rooms.forEach((room) => room.resolveWaits()),
    });
  }

  start(): void {
    if (this.hasStarted || this.isStopping) return;
    this.hasStarted = true;
    this.held.begin();
    this.running = this.run();
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.resumed.resolve();
    this.resumed = Promise.withResolvers<void>();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    const { clock } = this.parts;
    const cancel = clock.after(STOP_MS, () => {
      this.ending.abort();
      this.detectedAt = clock.now() + DETECTION_MS;
    });
    await this.running;
    cancel();
    await this.withTimeLimit(this.releasing);
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly Delivery[]> {
    const ours: SqsSettlement[] = [];
    const unknown: Delivery[] = [];
    for (const settlement of settlements) {
      const { delivery } = settlement;
      if (isOwn(settlement) && this.held.has(settlement.delivery)) ours.push(settlement);
      else if (!this.settledBefore.has(delivery)) unknown.push(delivery);
    }
    const { config, ...rest } = this.parts;
    const parts = { ...rest, messageSizeBytes: config.messageSizeBytes, copied: this.copied };
    const { done, lost, reason } = await settle(parts, ours);
    this.held.removeSettled(done);
    const removed = this.held.lose(lost);
    if (reason === null) return [...unknown, ...removed];
    for (const delivery of done) this.settledBefore.add(delivery);
    if (removed.length > 0) this.options.sink.lost(removed);
    throw unavailable(reason);
  }

  async lag(): Promise<number> {
    const { api } = this.parts;
    const sources = await this.findSources();
    const counts = await Promise.all(
      sources.map(
        async ({ queue: { url } }) =>
          await api.attributes(url, "ApproximateNumberOfMessages", "ApproximateNumberOfMessagesDelayed"),
      ),
    );
    return counts.flatMap(Object.values).reduce((sum, count) => sum + Number(count), 0);
  }

  /** Excludes FIFO queues: SQS counts their messages as visible even while an earlier message of the same key is held or delayed. */
  async overdue(): Promise<number> {
    const { api } = this.parts;
    const sources = (await this.findSources()).filter(({ queue }) => !queue.isFifo);
    const counts = await Promise.all(
      sources.map(async ({ queue: { url } }) => await api.attributes(url, "ApproximateNumberOfMessages")),
    );
    return counts.flatMap(Object.values).reduce((sum, count) => sum + Number(count), 0);
  }

  async close(): Promise<void> {
    await this.stop();
    if (this.isClosed) return;
    this.isClosed = true;
    const { clock } = this.parts;
    const remainingMs = this.detectedAt - clock.now();
    // Until SQS has detected an aborted request, it may respond to it with released messages.
    if (this.held.size > 0 && remainingMs > 0) await pause(clock, remainingMs, new AbortController().signal);
    await this.withTimeLimit(this.held.close());
    this.options.sink.state("closed");
  }

  /** Waits for releases, with a time limit: deliveries not released by then are redelivered after their visibility timeout. */
  private async withTimeLimit(work: Promise<unknown>): Promise<void> {
    const limit = new AbortController();
    const cancel = this.parts.clock.after(CLOSE_MS, () => limit.abort());
    await untilAborted(work, limit.signal).catch(() => {});
    cancel();
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    const { clock, random } = this.parts;
    const { sink } = this.options;
    for (let failures = 0; !this.isStopping;) {
      const from = clock.now();
      const reason = await this.consume().then(
        () => "it was stopped",
        (error: unknown) => reasonOf(error),
      );
      if (this.isStopping) return;
      failures = clock.now() - from >= STABLE_MS ? 1 : failures + 1;
      sink.state("connecting", reason);
      await pause(clock, backoffMs(failures, random()), this.stopping.signal);
    }
  }

  /** Receives from all queues until the consumer is stopped or one of them fails. */
  private async consume(): Promise<void> {
    const sources = await untilAborted(this.openSources(), this.ending.signal);
    if (this.isStopping) return;
    this.options.sink.state("running");
    const session = new AbortController();
    const { signal } = this.ending;
    const end = (): void => session.abort();
    signal.addEventListener("abort", end, { once: true });
    const stopping = AbortSignal.any([this.stopping.signal, session.signal]);
    const shares = sharesOf(sources, this.options.prefetch).map((share) => ({
      share,
      room: this.roomOf(share),
    }));
    this.rooms = shares.map(({ room }) => room);
    const receivers = shares.map(
      async ({ share, room }) => await this.receive(share, { stopping, ending: session.signal, room }),
    );
    try {
      await Promise.all(receivers);
    } finally {
      session.abort();
      await Promise.allSettled(receivers);
      signal.removeEventListener("abort", end);
    }
  }

  private roomOf({ sources, max }: Share<Source>): Room {
    const urls = new Set(sources.map(({ queue }) => queue.url));
    return new Room({ sink: this.options.sink, max, held: () => this.held.countOf(urls) });
  }

  private async receive(
    { sources, max }: Share<Source>,
    until: Pick<ReceiverParts, "stopping" | "ending" | "room">,
  ): Promise<void> {
    const { api, clock, config, recreate } = this.parts;
    try {
      await receiveFrom({
        ...until,
        api,
        clock,
        queues: sources.map((source) => ({
          url: source.queue.url,
          onMessages: (messages, requestedAt) => this.accept(messages, source, requestedAt),
        })),
        maxMessages: Math.min(config.maxMessages, this.options.prefetch, max),
        waitTimeSecs: sources.length === 1 ? config.waitTimeSecs : 1,
        isPaused: () => this.isPaused,
        whenResumed: async (signal) => await untilAborted(this.resumed.promise, signal).catch(() => {}),
      });
    } catch (error) {
      if (until.stopping.aborted) return; // aborted while waiting
      if (isMissing(error)) await untilAborted(recreate(), until.ending); // SQS may not respond
      throw error;
    }
  }

  private async openSources(): Promise<readonly Source[]> {
    const { api, recreate } = this.parts;
    const missing = async (): Promise<readonly string[]> => {
      const urls = await Promise.all(this.names.map(async (name) => await api.urlOf(name)));
      return this.names.filter((_, at) => urls[at] === null);
    };
    if ((await missing()).length > 0) await recreate();
    const stillMissing = await missing();
    if (stillMissing.length > 0)
      throw new Error(
        `there is no queue ${stillMissing.join(" and no queue ")}; create it with "npx @framework/cli topology", or set topology: "create"`,
      );
    return await this.findSources();
  }

  /** Names of the group's queues, except the queue of `queueUrl`. */
  private get names(): readonly string[] {
    const { topics, group, order } = this.options;
    return topics
      .filter((topic) => this.parts.queues.configured(topic) === null)
      .map((topic) => groupQueue(topic, group, order === "key"));
  }

  /** Finds the queues of the group, and the unclaimed queues of its topics. */
  private async findSources(): Promise<readonly Source[]> {
    const { queues } = this.parts;
    const { topics, group, order } = this.options;
    const found = await Promise.all(
      topics.map(async (topic) => {
        const given = queues.configured(topic);
        if (given !== null) return [{ topic, queue: given }];
        const [own, unclaimed] = await Promise.all([
          queues.byName(groupQueue(topic, group, order === "key")),
          queues.unclaimed(topic),
        ]);
        return [...(own === null ? [] : [own]), ...unclaimed].map((queue) => ({ topic, queue }));
      }),
    );
    return found.flat();
  }

  private accept(messages: readonly Message[], source: Source, requestedAt: number): void {
    // The visibility timeout begins when SQS responds: at most `RESPONSE_MS` ago.
    const hiddenAt = Math.max(requestedAt, this.parts.clock.now() - RESPONSE_MS);
    const hiddenUntil = hiddenAt + this.parts.config.visibilityTimeoutSecs * 1000;
    const deliveries = messages.map((message) => new SqsDelivery(message, { ...source, hiddenUntil }));
    this.held.add(deliveries);
    if (!this.isPaused && !this.isStopping) return this.options.sink.deliver(deliveries);
    this.releasing = Promise.all([this.releasing, this.held.release(deliveries)]);
  }
}

const isOwn = (settlement: Settlement): settlement is SqsSettlement =>
  settlement.delivery instanceof SqsDelivery;
