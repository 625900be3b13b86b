// Long, because all events of a membership change the same state, and their order matters.
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
import type { Assignment } from "./kafka-delivery.ts";
import { ReadPositions } from "./read-positions.ts";
import { repeat } from "./repeat.ts";
import { startPositions } from "./start-positions.ts";
import { matchingTopics } from "./matching-topics.ts";
import { unreadableMessages } from "./unreadable-messages.ts";

/** Dependencies of `Member`. */
export interface MemberParts {
  readonly config: KafkaConfig;
  readonly log: Logger;
  readonly clock: Clock;
  readonly admin: AdminClient;
  readonly options: ConsumerOptions;
  /** Highest offset that this process has fetched, by partition. */
  readonly fetched: Map<string, bigint>;
  /** Whether messages are fetched: the consumer is neither paused nor stopped. */
  readonly isFetchingEnabled: () => boolean;
}

/** A position to commit. */
export interface Position {
  readonly assignment: Assignment;
  /** Next offset to read. */
  readonly offset: bigint;
}

/** Maximum number of concurrently processed partitions of a fetch; high, so that no partition waits for another. */
const CONCURRENT_PARTITIONS = 256;

/** Longest wait of a fetch for messages, which also delays resumed partitions. */
const MAX_WAIT_MS = 100;

/** Time limit of leaving the group, in milliseconds; then the connections are closed. */
const LEAVE_MS = 5000;

/** One membership in a group, from the join until the consumer crashes or leaves. */
export class Member {
  private readonly parts: MemberParts;
  private readonly client: Client;
  private readonly consumer: Consumer;
  private readonly ending: PromiseWithResolvers<string> = Promise.withResolvers();
  private readonly ended = new AbortController();
  private readonly heartbeatMs: number;
  private topics: readonly string[] = [];
  private partitions: Map<string, AssignedPartition> = new Map();
  private readonly positions = new ReadPositions();
  private memberId: string | null = null;
  /** Join requests since the last generation. After more than one, other members may have had the partitions in between. */
  private joins = 0;
  private isStable = false;
  /** Number of completed fetches, now and at the last call of `unread`. */
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
      partitionAssigners: [assignorOf({ held: () => this.held(), onJoin: () => this.joins++ })],
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
    this.consumer.on(GROUP_JOIN, ({ payload }) => this.startGeneration(payload));
    this.consumer.on(REBALANCING, () => this.suspendDeliveries());
    this.consumer.on(CRASH, ({ payload }) => this.end(payload.error.message));
  }

  /** Resolves with the reason when the membership has ended. */
  get whenEnded(): Promise<string> {
    return this.ending.promise;
  }

  /** Whether it has received an assignment. */
  get hasJoined(): boolean {
    return this.memberId !== null;
  }

  /** Topics of the subscription, including topics that match its pattern; empty before the first search. */
  get subscribedTopics(): readonly string[] {
    return this.topics;
  }

  /** Names of its assigned partitions. */
  get partitionNames(): readonly string[] {
    return Array.from(this.partitions.keys());
  }

  /**
   * Returns assigned partitions that are not being read: all if no fetch completed since the last call, else the paused ones. Offsets that a fetch skips are not
   * messages but transaction markers, or aborted or compacted records.
   */
  unread(): readonly Assignment[] {
    const isFetching = this.fetches !== this.fetchesBefore;
    this.fetchesBefore = this.fetches;
    const held = Array.from(this.partitions.values(), ({ assignment }) => assignment);
    if (!isFetching) return held;
    const paused = this.consumer.paused();
    return held.filter((each) =>
      paused.some(({ topic, partitions }) => topic === each.topic && partitions.includes(each.partition)),
    );
  }

  /** Whether an assignment is still current. */
  holds(assignment: Assignment): boolean {
    return !this.ended.signal.aborted && this.partitions.get(assignment.name)?.assignment === assignment;
  }

  /** Joins the group and reads until the membership ends. */
  async run(): Promise<void> {
    const { options } = this.parts;
    try {
      await this.untilTopicsMatch();
      if (this.ended.signal.aborted) return;
      await this.consumer.connect();
      await this.consumer.subscribe({ topics: [...this.topics], fromBeginning: options.from === "earliest" });
      void this.watch();
      await this.consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: CONCURRENT_PARTITIONS,
        eachBatch: (payload) => this.handleBatch(payload),
      });
    } catch (error) {
      this.end(messageOf(error));
    }
  }

  /** Waits until there are topics to read: a pattern may match none yet. */
  private async untilTopicsMatch(): Promise<void> {
    const { options, admin, clock, config } = this.parts;
    const { signal } = this.ended;
    while (!signal.aborted) {
      this.topics = await matchingTopics(admin, options);
      if (this.topics.length > 0) return;
      options.sink.state("running"); // ready, although there is nothing to read
      await pause(clock, config.metadataMs, signal);
    }
  }

  /** Pauses or resumes fetching after a change of `isFetchingEnabled`. */
  updateFetching(): void {
    if (!this.isStable) return;
    for (const partition of this.partitions.values())
      if (this.isOpen) partition.proceed();
      else this.pause(partition.assignment);
  }

  /** Commits positions of assigned partitions. @throws if the commit fails */
  async commit(positions: readonly Position[]): Promise<void> {
    if (this.commitNow === null) throw new Error("kafka: the consumer has not joined its group");
    await this.commitNow(offsetsOf(positions));
    for (const { assignment, offset } of positions) this.positions.recordCommit(assignment, offset);
  }

  /** Leaves the group and closes the connections. */
  async leave(): Promise<void> {
    this.end("closed");
    const limit = new AbortController();
    const left = this.consumer.disconnect().then(
      () => limit.abort(),
      () => limit.abort(), // the server detects the missing heartbeats
    );
    await pause(this.parts.clock, LEAVE_MS, limit.signal);
    this.client.sockets.close();
    void left;
  }

  private get isOpen(): boolean {
    return this.isStable && !this.ended.signal.aborted && this.parts.isFetchingEnabled();
  }

  private held(): Readonly<Record<string, readonly number[]>> {
    const assignments = Array.from(this.partitions.values(), ({ assignment }) => assignment);
    return Object.fromEntries(
      this.topics.map((topic) => [
        topic,
        assignments.filter((each) => each.topic === topic).map(({ partition }) => partition),
      ]),
    );
  }

  private end(reason: string): void {
    if (this.ended.signal.aborted) return;
    this.ended.abort();
    for (const partition of this.partitions.values()) partition.end();
    this.ending.resolve(reason);
  }

  /** Suspends deliveries until the next generation. */
  private suspendDeliveries(): void {
    const { sink } = this.parts.options;
    this.isStable = false;
    sink.suspend();
    sink.state("connecting", "the group rebalances");
  }

  private startGeneration({ memberId, memberAssignment }: ConsumerGroupJoinEvent["payload"]): void {
    const { sink, from } = this.parts.options;
    const isUnbroken = memberId === this.memberId && this.joins === 1;
    [this.memberId, this.joins] = [memberId, 0];
    const before = this.partitions;
    const now = new Map<string, AssignedPartition>();
    for (const [topic, numbers] of Object.entries(memberAssignment))
      for (const partition of numbers) {
        const name = nameOf(topic, partition);
        const known = isUnbroken ? before.get(name)?.assignment : undefined;
        now.set(name, this.newPartition(known ?? { topic, partition, name }));
      }
    this.partitions = now;
    for (const partition of before.values()) partition.end();
    const lost = Array.from(before.values(), ({ assignment }) => assignment).filter(
      (assignment) => now.get(assignment.name)?.assignment !== assignment,
    );
    if (lost.length > 0) sink.revoked(lost.map(({ name }) => name));
    if (from === "latest") {
      for (const { assignment } of now.values()) this.pause(assignment);
      void this.commitStartPositions();
    } else this.becomeStable();
  }

  private becomeStable(): void {
    if (this.ended.signal.aborted) return;
    this.isStable = true;
    this.updateFetching();
    this.parts.options.sink.proceed();
    this.parts.options.sink.state("running");
  }

  /** Commits the end offsets of partitions without a committed offset, so that the group misses no later message even if this process dies before its first commit. */
  private async commitStartPositions(): Promise<void> {
    const { partitions, consumer } = this;
    try {
      const assignments = Array.from(partitions.values(), ({ assignment }) => assignment);
      const starts = await startPositions(this.parts.admin, this.parts.options.group, assignments);
      if (partitions !== this.partitions) return; // the group has rebalanced again
      if (starts.length > 0) {
        await consumer.commitOffsets([...starts]);
        if (partitions !== this.partitions) return;
        for (const start of starts) consumer.seek(start);
      }
      this.becomeStable();
    } catch (error) {
      this.end(`the first position could not be committed: ${messageOf(error)}`);
    }
  }

  private newPartition(assignment: Assignment): AssignedPartition {
    const { clock, options, fetched } = this.parts;
    this.positions.beginGeneration(assignment);
    return new AssignedPartition(assignment, {
      clock,
      fetched: fetched.get(assignment.name) ?? -1n,
      sink: options.sink,
      isOpen: () => this.isOpen,
      pause: () => this.pause(assignment),
      resume: () => this.resume(assignment),
    });
  }

  private pause({ topic, partition }: Assignment): void {
    if (!this.ended.signal.aborted) this.consumer.pause([{ topic, partitions: [partition] }]);
  }

  private resume({ topic, partition }: Assignment): void {
    if (!this.ended.signal.aborted) this.consumer.resume([{ topic, partitions: [partition] }]);
  }

  private async handleBatch({
    batch,
    resolveOffset,
    commitOffsetsIfNecessary,
  }: EachBatchPayload): Promise<void> {
    this.commitNow = commitOffsetsIfNecessary;
    const assigned = this.partitions.get(nameOf(batch.topic, batch.partition));
    if (assigned === undefined || this.ended.signal.aborted) return;
    if (!this.isOpen) return this.pause(assigned.assignment); // not resolved, so it is fetched again
    const partition = this.withoutReset(assigned, batch.messages[0]);
    const unreadable = unreadableMessages(batch.messages);
    if (unreadable.at === 0) return this.pauseUnreadable(partition, unreadable.why);
    const messages = unreadable.at < 0 ? batch.messages : batch.messages.slice(0, unreadable.at);
    const [first, last] = [messages[0], messages.at(-1)?.offset];
    if (first === undefined || last === undefined) return;
    this.positions.recordFirst(partition.assignment, first);
    const { fetched } = this.parts;
    const known = fetched.get(partition.assignment.name) ?? -1n;
    partition.lastOffset = BigInt(last);
    if (partition.lastOffset > known) fetched.set(partition.assignment.name, partition.lastOffset);
    resolveOffset(last);
    await partition.take(messages);
  }

  /** Restarts a partition whose offsets were reset: messaging would otherwise treat repeated offsets as finished. */
  private withoutReset(partition: AssignedPartition, first: KafkaMessage | undefined): AssignedPartition {
    const { assignment, lastOffset } = partition;
    if (first === undefined || !this.positions.isReset(assignment, lastOffset, first)) return partition;
    const { log, options, fetched } = this.parts;
    const { topic, partition: number, name } = assignment;
    log.warn(`kafka: the offsets of the partition ${name} were reset; was its topic created again?`, {
      group: options.group,
      offset: first.offset,
    });
    fetched.delete(name);
    partition.end();
    const replacement = this.newPartition({ topic, partition: number, name });
    this.partitions.set(name, replacement);
    options.sink.revoked([name]);
    this.resume(replacement.assignment); // the ended `AssignedPartition` may have paused it
    return replacement;
  }

  /** Pauses a partition whose next batch cannot be decompressed; other partitions continue. */
  private pauseUnreadable(partition: AssignedPartition, why: string): void {
    const { log, options } = this.parts;
    const { assignment } = partition;
    partition.problem = `the partition ${assignment.name} has messages that are compressed with ${why}`;
    this.pause(assignment);
    log.error(`kafka: ${partition.problem}`, { group: options.group });
    options.sink.state("connecting", partition.problem);
  }

  /** Watches for handlers that ignore their signal, and for new topics of a pattern. */
  private async watch(): Promise<void> {
    const { clock, config, options } = this.parts;
    const { signal } = this.ended;
    const checks = [
      repeat(() => this.checkHandlers(), { clock, signal, everyMs: this.heartbeatMs }),
      ...(options.pattern === null
        ? []
        : [repeat(() => this.checkTopics(), { clock, signal, everyMs: config.metadataMs })]),
    ];
    await Promise.all(checks);
  }

  private checkHandlers(): void {
    const stuck = this.partitionNames.find((name) => !this.parts.options.sink.isPartitionAlive(name));
    if (stuck !== undefined)
      this.end(
        `a handler of ${stuck} ignores its signal after its time limit; another process gets the partition`,
      );
  }

  private async checkTopics(): Promise<void> {
    const { options, admin } = this.parts;
    const found = await matchingTopics(admin, options).catch(() => this.topics);
    if (found.join() !== this.topics.join()) this.end("the topics that match the pattern have changed");
  }
}

const nameOf = (topic: string, partition: number): string => `${topic}-${partition}`;

const offsetsOf = (positions: readonly Position[]): OffsetsByTopicPartition => {
  const topics = Map.groupBy(positions, ({ assignment }) => assignment.topic);
  return {
    topics: Array.from(topics, ([topic, own]) => ({
      topic,
      partitions: own.map(({ assignment, offset }) => ({
        partition: assignment.partition,
        offset: String(offset),
      })),
    })),
  };
};
