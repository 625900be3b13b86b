import type { Consumer, ConsumerOptions } from "../port/broker-adapter.ts";
import type { Delivery, Settlement } from "../port/delivery.ts";
import type { MemoryGroup, MemoryMember } from "./memory-group.ts";
import { MemoryDelivery } from "./memory-item.ts";
import type { MemoryTopics } from "./memory-topics.ts";

/** A consumer of in-memory topics. */
export class MemoryConsumer implements Consumer, MemoryMember {
  private readonly topics: MemoryTopics;
  private readonly options: ConsumerOptions;
  private readonly groups = new Map<string, MemoryGroup>();
  private state: "new" | "running" | "stopped" | "closed" = "new";
  private isPaused = false;
  /** Aborts the wait for room. */
  private readonly ending = new AbortController();
  private isWaiting = false;

  constructor(topics: MemoryTopics, options: ConsumerOptions) {
    this.topics = topics;
    this.options = options;
  }

  get room(): number {
    return this.isFetching ? this.options.sink.room(null) : 0;
  }

  deliver(deliveries: readonly MemoryDelivery[]): void {
    this.options.sink.deliver(deliveries);
  }

  /** A paused consumer fetches when it resumes. */
  fetchWhenRoom(): void {
    if (this.isFetching) void this.awaitRoom();
  }

  start(): void {
    if (this.state !== "new") return;
    this.state = "running";
    const { topics, group, order, sink } = this.options;
    for (const topic of topics) this.groups.set(topic, this.topics.group(topic, group, order));
    sink.state("running");
    for (const joined of this.groups.values()) joined.join(this);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.fetch();
  }

  async stop(): Promise<void> {
    if (this.state === "closed") return;
    this.state = "stopped";
    this.ending.abort();
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly Delivery[]> {
    return settlements.filter((settlement) => !this.settleOne(settlement)).map(({ delivery }) => delivery);
  }

  async lag(): Promise<number> {
    return Array.from(this.groups.values()).reduce((sum, { backlog }) => sum + backlog, 0);
  }

  async overdue(): Promise<number> {
    return Array.from(this.groups.values()).reduce((sum, { overdue }) => sum + overdue, 0);
  }

  async close(): Promise<void> {
    await this.stop();
    if (this.state === "closed") return;
    this.state = "closed";
    for (const group of this.groups.values()) group.leave(this);
    if (this.options.isPrivate) for (const topic of this.options.topics) this.topics.remove(topic);
    this.options.sink.state("closed");
  }

  private get isFetching(): boolean {
    return this.state === "running" && !this.isPaused;
  }

  private settleOne(settlement: Settlement): boolean {
    const { delivery } = settlement;
    const group = this.groups.get(delivery.topic);
    if (!(delivery instanceof MemoryDelivery) || group === undefined) return false;
    if (settlement.action === "done") return group.done(delivery);
    return group.retry(delivery, settlement.delayMs, settlement.tries);
  }

  private fetch(): void {
    for (const group of this.groups.values()) group.schedule();
  }

  private async awaitRoom(): Promise<void> {
    if (this.isWaiting) return;
    this.isWaiting = true;
    await this.options.sink.whenRoom(null, this.ending.signal);
    this.isWaiting = false;
    this.fetch();
  }
}
