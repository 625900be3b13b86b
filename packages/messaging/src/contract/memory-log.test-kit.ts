// An in-memory log similar to Kafka: partitions, offsets, committed offsets of groups, rebalances. Tests how messaging handles logs.
import { newHeaders } from "../envelope/event.ts";
import type { Broker, BrokerAdapter, Consumer, ConsumerOptions } from "../port/broker-adapter.ts";
import type { Capabilities } from "../port/capabilities.ts";
import type { Delivery, OutgoingMessage, Settlement } from "../port/delivery.ts";

const PARTITIONS = 4;

const capabilities: Capabilities = {
  settlement: "cumulative",
  orders: ["key", "partition"],
  groups: true,
  maxDelayMs: 0,
  maxRetryDelayMs: 0,
  retryKeepsOrder: false,
  retryTopics: true,
  maxBodyBytes: 1_048_576,
  maxHeaderBytes: 65_536,
  envelope: { mode: "binary", prefix: "ce_" },
  patterns: false,
  privateTopics: true,
  replay: true,
  isInProcess: true,
};

interface Partition {
  readonly name: string;
  readonly topic: string;
  readonly messages: OutgoingMessage[];
  /** Next offset of each group. */
  readonly committed: Map<string, number>;
}

class Log {
  readonly partitions: Partition[] = [];
  readonly members = new Map<string, LogConsumer[]>();

  partitionsOf(topic: string): readonly Partition[] {
    const existing = this.partitions.filter((each) => each.topic === topic);
    if (existing.length > 0) return existing;
    for (let n = 0; n < PARTITIONS; n++)
      this.partitions.push({ name: `${topic}-${n}`, topic, messages: [], committed: new Map() });
    return this.partitionsOf(topic);
  }

  append(message: OutgoingMessage): { readonly partition: string; readonly offset: string } {
    const all = this.partitionsOf(message.topic);
    const sum =
      message.key === null
        ? this.partitions.length
        : Array.from(message.key).reduce((n, c) => n + c.charCodeAt(0), 0);
    const partition = all[sum % PARTITIONS] as Partition;
    const body = typeof message.body === "string" ? new TextEncoder().encode(message.body) : message.body;
    partition.messages.push({ ...message, body, headers: Object.assign(newHeaders(), message.headers) });
    for (const members of this.members.values()) for (const member of members) member.poll();
    return { partition: partition.name, offset: String(partition.messages.length - 1) };
  }

  /** Distributes the partitions of a group's topics over its members. */
  rebalance(group: string): void {
    const members = this.members.get(group) ?? [];
    for (const member of members) {
      const others = members.filter(({ options }) => options.topics.join() === member.options.topics.join());
      const own = member.options.topics
        .flatMap((topic) => this.partitionsOf(topic))
        .filter((_, at) => at % others.length === others.indexOf(member));
      member.assign(own);
    }
  }
}

class LogConsumer implements Consumer {
  readonly options: ConsumerOptions;
  private readonly log: Log;
  private readonly positions = new Map<Partition, number>();
  private state: "new" | "running" | "paused" | "stopped" | "closed" = "new";
  private readonly ending = new AbortController();
  private readonly waiting = new Set<Partition>();
  private isScheduled = false;

  constructor(log: Log, options: ConsumerOptions) {
    this.log = log;
    this.options = options;
  }

  start(): void {
    this.state = "running";
    const { group, sink } = this.options;
    this.log.members.set(group, [...(this.log.members.get(group) ?? []), this]);
    sink.state("running");
    this.log.rebalance(group);
  }

  assign(partitions: readonly Partition[]): void {
    const revoked = [...this.positions.keys()].filter((each) => !partitions.includes(each));
    for (const partition of revoked) this.positions.delete(partition);
    if (revoked.length > 0) this.options.sink.revoked(revoked.map(({ name }) => name));
    // Like kafkajs, reads all partitions from their committed offsets.
    for (const partition of partitions)
      this.positions.set(partition, partition.committed.get(this.options.group) ?? 0);
    this.poll();
  }

  poll(): void {
    if (this.isScheduled || this.state !== "running") return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      for (const partition of this.positions.keys()) this.fetch(partition);
    });
  }

  pause(): void {
    if (this.state === "running") this.state = "paused";
  }

  resume(): void {
    if (this.state === "paused") this.state = "running";
    this.poll();
  }

  async stop(): Promise<void> {
    if (this.state !== "closed") this.state = "stopped";
    this.ending.abort();
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly Delivery[]> {
    const lost: Delivery[] = [];
    for (const { delivery } of settlements) {
      const partition = [...this.positions.keys()].find(({ name }) => name === delivery.partition);
      if (partition === undefined) lost.push(delivery);
      else partition.committed.set(this.options.group, Number(delivery.offset) + 1);
    }
    return lost;
  }

  async lag(): Promise<number> {
    return [...this.positions].reduce(
      (sum, [partition, position]) => sum + partition.messages.length - position,
      0,
    );
  }

  async overdue(): Promise<number> {
    return await this.lag(); // all messages of its own partitions are due
  }

  async close(): Promise<void> {
    await this.stop();
    if (this.state === "closed") return;
    this.state = "closed";
    const { group, sink } = this.options;
    const others = (this.log.members.get(group) ?? []).filter((each) => each !== this);
    this.log.members.set(group, others);
    this.log.rebalance(group);
    sink.state("closed");
  }

  private fetch(partition: Partition): void {
    if (this.state !== "running") return;
    const { sink } = this.options;
    const from = this.positions.get(partition) ?? 0;
    const fetched = partition.messages.slice(from, from + Math.min(sink.room(partition.name), 10));
    this.positions.set(partition, from + fetched.length);
    if (fetched.length > 0)
      sink.deliver(fetched.map((message, at) => deliveryOf(partition, message, from + at)));
    if (from + fetched.length === partition.messages.length) return;
    if (sink.room(partition.name) > 0) return this.poll();
    if (this.waiting.has(partition)) return;
    this.waiting.add(partition);
    void sink.whenRoom(partition.name, this.ending.signal).then(() => {
      this.waiting.delete(partition);
      this.poll();
    });
  }
}

const deliveryOf = (
  { name, topic }: Partition,
  { key, headers, body }: OutgoingMessage,
  offset: number,
): Delivery => ({
  topic,
  partition: name,
  offset: String(offset),
  key,
  headers,
  body,
  tries: null,
  deliveries: null,
  isRedelivered: false,
  sentAt: null,
});

/** Creates an adapter for an in-memory log; brokers that it opens share the log. */
export const memoryLog = (): BrokerAdapter => {
  const log = new Log();
  const open = (): Broker => ({
    producer: { send: async (messages) => messages.map((message) => ({ ok: true, ...log.append(message) })) },
    consumer: (options) => new LogConsumer(log, options),
    topology: async () => [],
    health: async () => ({}),
    close: async () => {},
  });
  return { name: "memory-log", capabilities, open };
};
