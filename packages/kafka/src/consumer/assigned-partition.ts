import { pause, type Sink } from "@framework/messaging/adapter";
import type { Clock } from "@framework/core/feature";
import type { KafkaMessage } from "kafkajs";
import { KafkaDelivery, type Assignment } from "./kafka-delivery.ts";

/** Dependencies of `AssignedPartition`. */
export interface PartitionParts {
  readonly sink: Sink;
  readonly clock: Clock;
  /** Whether messages may be delivered: `false` while paused, stopped or rebalancing. */
  readonly isOpen: () => boolean;
  /** Stops fetching this partition. */
  readonly pause: () => void;
  /** Resumes fetching this partition. */
  readonly resume: () => void;
  /** Highest offset that this process has fetched before; -1 for none. */
  readonly fetched: bigint;
}

/** Time for which a fetch waits for room before its partition is paused. Short, because it delays the next fetch of all partitions of its server. */
const MAX_WAIT_FOR_ROOM_MS = 50;

/** Pause after the window was filled, so that the next delivery has more messages; the window has enough work meanwhile. */
const GATHER_MS = 5;

/** A partition in one generation of the group. Delivers fetched messages while there is room, and buffers the others. */
export class AssignedPartition {
  readonly assignment: Assignment;
  private readonly parts: PartitionParts;
  private readonly ending = new AbortController();
  private backlog: readonly KafkaMessage[] = [];
  /** Number of delivered messages of the backlog. */
  private head = 0;
  private isFeeding = false;
  private isPaused = false;
  /** Backlog size at which a paused partition is resumed, so that the next fetch arrives in time. */
  private lowWater = 0;
  /** Highest offset fetched in this generation; -1 before the first fetch. */
  lastOffset = -1n;
  /** Why the partition cannot be read further; `null` if it can. */
  problem: string | null = null;

  constructor(assignment: Assignment, parts: PartitionParts) {
    this.assignment = assignment;
    this.parts = parts;
  }

  /** Whether fetched messages wait for room. */
  get hasBacklog(): boolean {
    return this.head < this.backlog.length;
  }

  /** Accepts the messages of a fetch. Resolves within 50 ms even without room; the partition is then paused until there is room. */
  async take(messages: readonly KafkaMessage[]): Promise<void> {
    if (this.ending.signal.aborted) return;
    this.backlog = this.hasBacklog ? [...this.backlog.slice(this.head), ...messages] : messages;
    this.head = 0;
    this.lowWater = messages.length >> 1;
    this.handOver();
    if (!this.hasBacklog) return;
    await this.waitForRoom();
    if (!this.hasBacklog || this.ending.signal.aborted) return;
    this.isPaused = true;
    this.parts.pause();
    void this.feed();
  }

  /** Delivers the backlog, or resumes fetching, when the consumer continues. */
  proceed(): void {
    if (this.problem !== null) return;
    if (this.hasBacklog) void this.feed();
    else this.resume();
  }

  /** Drops the backlog: it is fetched again, by this process or by another. */
  end(): void {
    this.ending.abort();
    this.backlog = [];
    this.head = 0;
  }

  private async waitForRoom(): Promise<void> {
    const { sink, clock } = this.parts;
    const limit = new AbortController();
    const cancel = clock.after(MAX_WAIT_FOR_ROOM_MS, () => limit.abort());
    const signal = AbortSignal.any([limit.signal, this.ending.signal]);
    while (this.hasBacklog && !signal.aborted && this.parts.isOpen()) {
      await sink.whenRoom(this.assignment.name, signal);
      this.handOver();
      if (this.hasBacklog) await pause(clock, GATHER_MS, signal);
    }
    cancel();
  }

  private async feed(): Promise<void> {
    if (this.isFeeding) return;
    this.isFeeding = true;
    const { signal } = this.ending;
    while (this.hasBacklog && !signal.aborted && this.parts.isOpen()) {
      await this.parts.sink.whenRoom(this.assignment.name, signal);
      this.handOver();
      if (this.hasBacklog) await pause(this.parts.clock, GATHER_MS, signal);
    }
    this.isFeeding = false;
    if (!this.hasBacklog && !signal.aborted && this.parts.isOpen()) this.resume();
  }

  private deliveryOf(message: KafkaMessage): KafkaDelivery {
    const { fetched } = this.parts;
    return new KafkaDelivery(this.assignment, message, fetched >= 0n && BigInt(message.offset) <= fetched);
  }

  private resume(): void {
    this.isPaused = false;
    this.parts.resume();
  }

  private handOver(): void {
    const { sink, isOpen } = this.parts;
    let hasMoved = false;
    while (this.hasBacklog && isOpen() && !this.ending.signal.aborted) {
      const room = sink.room(this.assignment.name);
      if (room <= 0) break;
      const batch = this.backlog.slice(this.head, this.head + room);
      this.head += batch.length;
      // Created at the delivery, not at the fetch: short-lived objects are cheap to collect.
      sink.deliver(batch.map((message) => this.deliveryOf(message)));
      hasMoved = true;
    }
    if (this.isPaused && hasMoved && isOpen() && this.backlog.length - this.head <= this.lowWater)
      this.resume();
  }
}
