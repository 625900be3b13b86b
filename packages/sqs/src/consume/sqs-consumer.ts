// One file: the states of a consumer; what it does with SQS is in receiver.ts, held-deliveries.ts and settle.ts.
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

/** What a consumer needs of its broker. */
export interface SqsConsumerParts {
  readonly api: SqsApi;
  readonly queues: KnownQueues;
  readonly config: SqsConfig;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Creates again what this process created. */
  readonly again: () => Promise<void>;
}

/** A queue, and the topic that it is for. */
interface Source {
  readonly topic: string;
  readonly queue: Queue;
}

/** A consumer that received for so long worked. */
const STABLE_MS = 5000;
/** How long a stop waits for requests under way: messages that SQS has begun to hand over would be hidden for a while otherwise. */
const STOP_MS = 100;
/** After so long SQS has noticed that a request was aborted. */
const GONE_MS = 200;
/** Longest time that an answer of SQS is assumed to take. */
const ANSWER_MS = 1000;
/** Longest wait for giving messages back. */
const CLOSE_MS = 5000;

/** Consumes the queues of one group. */
export class SqsConsumer implements Consumer {
  private readonly parts: SqsConsumerParts;
  private readonly options: ConsumerOptions;
  /** One of each receiver. */
  private rooms: readonly Room[] = [];
  private readonly held: HeldDeliveries;
  private readonly stopping = new AbortController();
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private hasStarted = false;
  /** When SQS has noticed that nothing waits for messages any more. */
  private goneAt = 0;
  private isPaused = false;
  private isClosed = false;
  private resumed = Promise.withResolvers<void>();
  /** What arrived while nothing may be handed over goes back: other processes may take it. */
  private returning: Promise<unknown> = Promise.resolve();
  private readonly copied = new WeakSet<SqsDelivery>();
  /** Settled in a call of which another part failed: messaging repeats all of it. */
  private readonly settledBefore = new WeakSet<Delivery>();

  constructor(parts: SqsConsumerParts, options: ConsumerOptions) {
    const { sink } = options;
    this.parts = parts;
    this.options = options;
    this.held = new HeldDeliveries({
      ...parts,
      visibilityTimeoutSecs: parts.config.visibilityTimeoutSecs,
      isAlive: (delivery) => sink.isAlive(delivery),
      lost: (deliveries) => sink.lost(deliveries),
      released: () => this.rooms.forEach((room) => room.changed()),
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
      this.goneAt = clock.now() + GONE_MS;
    });
    await this.running;
    cancel();
    await this.inTime(this.returning);
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
    this.held.settled(done);
    const gone = this.held.lose(lost);
    if (reason === null) return [...unknown, ...gone];
    for (const delivery of done) this.settledBefore.add(delivery);
    if (gone.length > 0) this.options.sink.lost(gone);
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

  /** SQS counts messages behind one of their key that is held, or delayed, as visible: nothing is known of FIFO queues. */
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
    const leftMs = this.goneAt - clock.now();
    // SQS may not have noticed yet that a request was aborted, and would answer it with what is given back.
    if (this.held.size > 0 && leftMs > 0) await pause(clock, leftMs, new AbortController().signal);
    await this.inTime(this.held.close());
    this.options.sink.state("closed");
  }

  /** Waits for what is given back, but not for ever: the rest comes again after its time. */
  private async inTime(work: Promise<unknown>): Promise<void> {
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

  /** Receives from every queue until it is stopped, or until one of them fails. */
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

  private roomOf({ sources, most }: Share<Source>): Room {
    const urls = new Set(sources.map(({ queue }) => queue.url));
    return new Room({ sink: this.options.sink, most, held: () => this.held.countOf(urls) });
  }

  private async receive(
    { sources, most }: Share<Source>,
    until: Pick<ReceiverParts, "stopping" | "ending" | "room">,
  ): Promise<void> {
    const { api, clock, config, again } = this.parts;
    try {
      await receiveFrom({
        ...until,
        api,
        clock,
        queues: sources.map((source) => ({
          url: source.queue.url,
          take: (messages, askedAt) => this.arrived(messages, source, askedAt),
        })),
        maxMessages: Math.min(config.maxMessages, this.options.prefetch, most),
        waitTimeSecs: sources.length === 1 ? config.waitTimeSecs : 1,
        isPaused: () => this.isPaused,
        resumed: async (signal) => await untilAborted(this.resumed.promise, signal).catch(() => {}),
      });
    } catch (error) {
      if (until.stopping.aborted) return; // it was ended while it waited
      if (isMissing(error)) await again();
      throw error;
    }
  }

  private async openSources(): Promise<readonly Source[]> {
    const { api, again } = this.parts;
    const missing = async (): Promise<readonly string[]> => {
      const urls = await Promise.all(this.names.map(async (name) => await api.urlOf(name)));
      return this.names.filter((_, at) => urls[at] === null);
    };
    if ((await missing()).length > 0) await again();
    const still = await missing();
    if (still.length > 0)
      throw new Error(
        `there is no queue ${still.join(" and no queue ")}; create it with "npx @framework/cli topology", or set topology: "create"`,
      );
    return await this.findSources();
  }

  /** Names of the queues without which the group gets nothing. */
  private get names(): readonly string[] {
    const { topics, group, order } = this.options;
    return topics
      .filter((topic) => this.parts.queues.given(topic) === null)
      .map((topic) => groupQueue(topic, group, order === "key"));
  }

  /** The queues of the group, and those for messages of its topics without groups. */
  private async findSources(): Promise<readonly Source[]> {
    const { queues } = this.parts;
    const { topics, group, order } = this.options;
    const found = await Promise.all(
      topics.map(async (topic) => {
        const given = queues.given(topic);
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

  private arrived(messages: readonly Message[], source: Source, askedAt: number): void {
    // SQS hides a message when it hands it over: at most the time of an answer ago.
    const hiddenAt = Math.max(askedAt, this.parts.clock.now() - ANSWER_MS);
    const hiddenUntil = hiddenAt + this.parts.config.visibilityTimeoutSecs * 1000;
    const deliveries = messages.map((message) => new SqsDelivery(message, { ...source, hiddenUntil }));
    this.held.add(deliveries);
    if (!this.isPaused && !this.isStopping) return this.options.sink.deliver(deliveries);
    this.returning = Promise.all([this.returning, this.held.giveBack(deliveries)]);
  }
}

const isOwn = (settlement: Settlement): settlement is SqsSettlement =>
  settlement.delivery instanceof SqsDelivery;
