// One file: the events of one membership change the same state, and their order is the point.
import type { Logger } from "@framework/core";
import { type Clock, messageOf } from "@framework/core/feature";
import { type ConsumerOptions, pause } from "@framework/messaging/adapter";
import type {
  Consumer,
  ConsumerGroupJoinEvent,
  EachBatchPayload,
  KafkaMessage,
  OffsetsByTopicPartition,
} from "kafkajs";
import type { AdminClient } from "../client/admin-client.ts";
import { type Client, createClient, retry } from "../client/create-client.ts";
import type { KafkaConfig } from "../kafka-config.ts";
import { AssignedPartition } from "./assigned-partition.ts";
import { assignorOf } from "./assignor.ts";
import type { Tenure } from "./kafka-delivery.ts";
import { ReadPositions } from "./read-positions.ts";
import { startPositions } from "./start-positions.ts";
import { matchingTopics } from "./matching-topics.ts";
import { unreadableMessages } from "./unreadable-messages.ts";

/** What a membership needs. */
export interface MemberParts {
  readonly config: KafkaConfig;
  readonly log: Logger;
  readonly clock: Clock;
  readonly admin: AdminClient;
  readonly options: ConsumerOptions;
  /** Highest offset that this process fetched, by partition. */
  readonly fetched: Map<string, bigint>;
  /** Whether messages are wanted: the consumer is neither paused nor stopped. */
  readonly isWanted: () => boolean;
}

/** A position to commit. */
export interface Position {
  readonly tenure: Tenure;
  /** The next offset that the group reads. */
  readonly offset: bigint;
}

/** Partitions of one fetch that are worked on at a time: all of them. */
const CONCURRENT_PARTITIONS = 256;

/** Longest time of a fetch without messages, and so of the wait for a partition that is resumed. */
const MAX_WAIT_MS = 100;

/** Longest time to leave the group in milliseconds; then the connections are closed. */
const LEAVE_MS = 5000;

/** One membership in a group, from the join to the crash of the driver or to the leave. */
export class Member {
  private readonly parts: MemberParts;
  private readonly client: Client;
  private readonly consumer: Consumer;
  private readonly ending: PromiseWithResolvers<string> = Promise.withResolvers();
  private readonly gone = new AbortController();
  private readonly heartbeatMs: number;
  private topics: readonly string[] = [];
  private partitions: Map<string, AssignedPartition> = new Map();
  private readonly positions = new ReadPositions();
  private memberId: string | null = null;
  /** Requests to join since the last assignment: after more than one, other members may have had the partitions in between. */
  private joins = 0;
  private isSettled = false;
  /** Fetches that were answered, now and at the last call of `unread`. */
  private fetches = 0;
  private fetchesBefore = -1;
  private commitNow: EachBatchPayload["commitOffsetsIfNecessary"] | null = null;

  constructor(parts: MemberParts) {
    this.parts = parts;
    const { config, log, options } = parts;
    this.heartbeatMs = Math.min(3000, config.sessionTimeoutMs / 10);
    this.client = createClient(config, log);
    this.consumer = this.client.kafka.consumer({
      groupId: options.group,
      partitionAssigners: [assignorOf({ held: () => this.held(), joining: () => this.joins++ })],
      sessionTimeout: config.sessionTimeoutMs,
      rebalanceTimeout: config.rebalanceTimeoutMs,
      heartbeatInterval: this.heartbeatMs,
      metadataMaxAge: config.metadataMs,
      maxBytesPerPartition: config.maxFetchBytes,
      maxWaitTimeInMs: MAX_WAIT_MS,
      allowAutoTopicCreation: false,
      retry: { ...retry, restartOnFailure: async () => false },
    });
    const { GROUP_JOIN, REBALANCING, FETCH, CRASH } = this.consumer.events;
    this.consumer.on(FETCH, () => void this.fetches++);
    this.consumer.on(GROUP_JOIN, ({ payload }) => this.joined(payload));
    this.consumer.on(REBALANCING, () => this.rebalancing());
    this.consumer.on(CRASH, ({ payload }) => this.end(payload.error.message));
  }

  /** Resolves with the reason when the membership is over. */
  get over(): Promise<string> {
    return this.ending.promise;
  }

  /** Whether the group ever gave it partitions. */
  get hasJoined(): boolean {
    return this.memberId !== null;
  }

  /** The topics that it reads, those that match a pattern included; none before it has looked. */
  get reads(): readonly string[] {
    return this.topics;
  }

  /** Names of the partitions that it holds. */
  get names(): readonly string[] {
    return Array.from(this.partitions.keys());
  }

  /**
   * The partitions that it holds and does not read: all if no fetch was answered since the last call, else those that are paused. What a fetch does not bring is
   * no message: the end of a transaction, or what was aborted or compacted.
   */
  unread(): readonly Tenure[] {
    const isFetching = this.fetches !== this.fetchesBefore;
    this.fetchesBefore = this.fetches;
    const held = Array.from(this.partitions.values(), ({ tenure }) => tenure);
    if (!isFetching) return held;
    const paused = this.consumer.paused();
    return held.filter((each) =>
      paused.some(({ topic, partitions }) => topic === each.topic && partitions.includes(each.partition)),
    );
  }

  /** Whether it holds the partition of a delivery, without a break since the delivery. */
  holds(tenure: Tenure): boolean {
    return !this.gone.signal.aborted && this.partitions.get(tenure.name)?.tenure === tenure;
  }

  /** Joins the group, and reads for as long as the membership lasts. */
  async run(): Promise<void> {
    const { options } = this.parts;
    try {
      await this.untilTopicsMatch();
      if (this.gone.signal.aborted) return;
      await this.consumer.connect();
      await this.consumer.subscribe({ topics: [...this.topics], fromBeginning: options.from === "earliest" });
      void this.watch();
      await this.consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: CONCURRENT_PARTITIONS,
        eachBatch: (payload) => this.batch(payload),
      });
    } catch (error) {
      this.end(messageOf(error));
    }
  }

  /** Looks for the topics to read until there are some: a pattern may match none yet. */
  private async untilTopicsMatch(): Promise<void> {
    const { options, admin, clock, config } = this.parts;
    const { signal } = this.gone;
    while (!signal.aborted) {
      this.topics = await matchingTopics(admin, options);
      if (this.topics.length > 0) return;
      options.sink.state("running"); // there is nothing to read
      await pause(clock, config.metadataMs, signal);
    }
  }

  /** Fetches nothing, or goes on. */
  wantedChanged(): void {
    if (!this.isSettled) return;
    for (const partition of this.partitions.values())
      if (this.isOpen) partition.proceed();
      else this.pause(partition.tenure);
  }

  /** Commits positions of partitions that are held now. @throws when the group does not take them */
  async commit(positions: readonly Position[]): Promise<void> {
    if (this.commitNow === null) throw new Error("kafka: the consumer has not joined its group");
    await this.commitNow(offsetsOf(positions));
    for (const { tenure, offset } of positions) this.positions.confirmed(tenure, offset);
  }

  /** Leaves the group, and closes the connections. */
  async leave(): Promise<void> {
    this.end("closed");
    const limit = new AbortController();
    const left = this.consumer.disconnect().then(
      () => limit.abort(),
      () => limit.abort(), // the servers notice it by the missing heartbeats
    );
    await pause(this.parts.clock, LEAVE_MS, limit.signal);
    this.client.sockets.close();
    void left;
  }

  private get isOpen(): boolean {
    return this.isSettled && !this.gone.signal.aborted && this.parts.isWanted();
  }

  private held(): Readonly<Record<string, readonly number[]>> {
    const tenures = Array.from(this.partitions.values(), ({ tenure }) => tenure);
    return Object.fromEntries(
      this.topics.map((topic) => [
        topic,
        tenures.filter((each) => each.topic === topic).map(({ partition }) => partition),
      ]),
    );
  }

  private end(reason: string): void {
    if (this.gone.signal.aborted) return;
    this.gone.abort();
    for (const partition of this.partitions.values()) partition.end();
    this.ending.resolve(reason);
  }

  /** Between this and the new assignment nothing is handed over. */
  private rebalancing(): void {
    const { sink } = this.parts.options;
    this.isSettled = false;
    sink.suspend();
    sink.state("connecting", "the group rebalances");
  }

  private joined({ memberId, memberAssignment }: ConsumerGroupJoinEvent["payload"]): void {
    const { sink, from } = this.parts.options;
    const isUnbroken = memberId === this.memberId && this.joins === 1;
    [this.memberId, this.joins] = [memberId, 0];
    const before = this.partitions;
    const now = new Map<string, AssignedPartition>();
    for (const [topic, numbers] of Object.entries(memberAssignment))
      for (const partition of numbers) {
        const name = nameOf(topic, partition);
        const known = isUnbroken ? before.get(name)?.tenure : undefined;
        now.set(name, this.assigned(known ?? { topic, partition, name }));
      }
    this.partitions = now;
    for (const partition of before.values()) partition.end();
    const lost = Array.from(before.values(), ({ tenure }) => tenure).filter(
      (tenure) => now.get(tenure.name)?.tenure !== tenure,
    );
    if (lost.length > 0) sink.revoked(lost.map(({ name }) => name));
    if (from === "latest") {
      for (const { tenure } of now.values()) this.pause(tenure);
      void this.anchor();
    } else this.settled();
  }

  private settled(): void {
    if (this.gone.signal.aborted) return;
    this.isSettled = true;
    this.wantedChanged();
    this.parts.options.sink.proceed();
    this.parts.options.sink.state("running");
  }

  /** Commits where a new group begins, so that messages from then on are kept for it also when this process dies before its first commit. */
  private async anchor(): Promise<void> {
    const { partitions, consumer } = this;
    try {
      const tenures = Array.from(partitions.values(), ({ tenure }) => tenure);
      const starts = await startPositions(this.parts.admin, this.parts.options.group, tenures);
      if (partitions !== this.partitions) return; // the group has changed again
      if (starts.length > 0) {
        await consumer.commitOffsets([...starts]);
        if (partitions !== this.partitions) return;
        for (const start of starts) consumer.seek(start);
      }
      this.settled();
    } catch (error) {
      this.end(`the first position could not be committed: ${messageOf(error)}`);
    }
  }

  private assigned(tenure: Tenure): AssignedPartition {
    const { clock, options, fetched } = this.parts;
    this.positions.assigned(tenure);
    return new AssignedPartition(tenure, {
      clock,
      fetched: fetched.get(tenure.name) ?? -1n,
      sink: options.sink,
      isOpen: () => this.isOpen,
      pause: () => this.pause(tenure),
      resume: () => this.resume(tenure),
    });
  }

  private pause({ topic, partition }: Tenure): void {
    if (!this.gone.signal.aborted) this.consumer.pause([{ topic, partitions: [partition] }]);
  }

  private resume({ topic, partition }: Tenure): void {
    if (!this.gone.signal.aborted) this.consumer.resume([{ topic, partitions: [partition] }]);
  }

  private async batch({ batch, resolveOffset, commitOffsetsIfNecessary }: EachBatchPayload): Promise<void> {
    this.commitNow = commitOffsetsIfNecessary;
    const assigned = this.partitions.get(nameOf(batch.topic, batch.partition));
    if (assigned === undefined || this.gone.signal.aborted) return;
    if (!this.isOpen) return this.pause(assigned.tenure); // not resolved: it is fetched again
    const partition = this.withoutReset(assigned, batch.messages[0]);
    const unreadable = unreadableMessages(batch.messages);
    if (unreadable.at === 0) return this.refuse(partition, unreadable.why);
    const messages = unreadable.at < 0 ? batch.messages : batch.messages.slice(0, unreadable.at);
    const [first, last] = [messages[0], messages.at(-1)?.offset];
    if (first === undefined || last === undefined) return;
    this.positions.took(partition.tenure, first);
    const { fetched } = this.parts;
    const known = fetched.get(partition.tenure.name) ?? -1n;
    partition.last = BigInt(last);
    if (partition.last > known) fetched.set(partition.tenure.name, partition.last);
    resolveOffset(last);
    await partition.take(messages);
  }

  /** Begins a partition anew when its offsets come again with other messages, which messaging would take for those that it has finished. */
  private withoutReset(partition: AssignedPartition, first: KafkaMessage | undefined): AssignedPartition {
    const { tenure, last } = partition;
    if (first === undefined || !this.positions.isReset(tenure, last, first)) return partition;
    const { log, options, fetched } = this.parts;
    const { topic, partition: number, name } = tenure;
    log.warn(`kafka: the offsets of the partition ${name} begin anew; is its topic a new one?`, {
      group: options.group,
      offset: first.offset,
    });
    fetched.delete(name);
    partition.end();
    const again = this.assigned({ topic, partition: number, name });
    this.partitions.set(name, again);
    options.sink.revoked([name]);
    this.resume(again.tenure); // the earlier one may have paused it
    return again;
  }

  /** Pauses a partition whose next batch cannot be decompressed; the others go on. */
  private refuse(partition: AssignedPartition, why: string): void {
    const { log, options } = this.parts;
    const { tenure } = partition;
    partition.problem = `the partition ${tenure.name} has messages that are compressed with ${why}`;
    this.pause(tenure);
    log.error(`kafka: ${partition.problem}`, { group: options.group });
    options.sink.state("connecting", partition.problem);
  }

  /** Looks for handlers that ignore their signal, and for new topics of a pattern. */
  private async watch(): Promise<void> {
    const { clock, config, options, admin } = this.parts;
    const { signal } = this.gone;
    for (let sinceTopicsMs = 0; !signal.aborted; sinceTopicsMs += this.heartbeatMs) {
      await pause(clock, Math.min(this.heartbeatMs, config.metadataMs), signal);
      const stuck = this.names.find((name) => !options.sink.isPartitionAlive(name));
      if (stuck !== undefined)
        this.end(
          `a handler of ${stuck} ignores its signal after its time limit; another process gets the partition`,
        );
      if (options.pattern === null || sinceTopicsMs < config.metadataMs) continue;
      sinceTopicsMs = 0;
      const found = await matchingTopics(admin, options).catch(() => this.topics);
      if (found.join() !== this.topics.join()) this.end("the topics that match have changed");
    }
  }
}

const nameOf = (topic: string, partition: number): string => `${topic}-${partition}`;

const offsetsOf = (positions: readonly Position[]): OffsetsByTopicPartition => {
  const topics = Map.groupBy(positions, ({ tenure }) => tenure.topic);
  return {
    topics: Array.from(topics, ([topic, own]) => ({
      topic,
      partitions: own.map(({ tenure, offset }) => ({ partition: tenure.partition, offset: String(offset) })),
    })),
  };
};
