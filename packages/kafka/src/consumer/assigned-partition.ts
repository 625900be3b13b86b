import { pause, type Sink } from "@framework/messaging/adapter";
import type { Clock } from "@framework/core/feature";
import type { KafkaMessage } from "kafkajs";
import { KafkaDelivery, type Tenure } from "./kafka-delivery.ts";

/** What a partition needs of its consumer. */
export interface PartitionParts {
  readonly sink: Sink;
  readonly clock: Clock;
  /** Whether messages may be handed over now: not while paused, stopped or rebalancing. */
  readonly isOpen: () => boolean;
  /** Stops fetching this partition. */
  readonly pause: () => void;
  /** Fetches it again. */
  readonly resume: () => void;
  /** Highest offset that this process fetched before; -1 for none. */
  readonly fetched: bigint;
}

/** Time for which a fetch waits for room before its partition is paused: all partitions of a server wait with it. */
const PATIENCE_MS = 50;

/** Time in which room gathers, so that many messages are handed over at once; the window is full of others meanwhile. */
const GATHER_MS = 5;

/**
 * A partition between two rebalances: hands fetched messages over while there is room in the window, and keeps the rest of the last fetch.
 */
export class AssignedPartition {
  readonly tenure: Tenure;
  private readonly parts: PartitionParts;
  private readonly ending = new AbortController();
  private backlog: readonly KafkaMessage[] = [];
  /** Messages of the backlog that were handed over. */
  private head = 0;
  private isFeeding = false;
  private isPaused = false;
  /** Resumed when no more than so many wait: the next fetch comes while they are worked on. */
  private lowWater = 0;
  /** Highest offset of the fetches in this assignment; -1 before the first. */
  last = -1n;
  /** Why nothing more of it can be read; `null` when it can. */
  problem: string | null = null;

  constructor(tenure: Tenure, parts: PartitionParts) {
    this.tenure = tenure;
    this.parts = parts;
  }

  /** Whether fetched messages wait for room. */
  get isFull(): boolean {
    return this.head < this.backlog.length;
  }

  /** Takes the messages of a fetch. Resolves soon, also when there is no room: then the partition is paused until there is. */
  async take(messages: readonly KafkaMessage[]): Promise<void> {
    if (this.ending.signal.aborted) return;
    this.backlog = this.isFull ? [...this.backlog.slice(this.head), ...messages] : messages;
    this.head = 0;
    this.lowWater = messages.length >> 1;
    this.handOver();
    if (!this.isFull) return;
    await this.someRoom();
    if (!this.isFull || this.ending.signal.aborted) return;
    this.isPaused = true;
    this.parts.pause();
    void this.feed();
  }

  /** Hands over what is left when the consumer goes on. */
  proceed(): void {
    if (this.problem !== null) return;
    if (this.isFull) void this.feed();
    else this.resume();
  }

  /** Forgets what was not handed over: it is fetched again, by this process or by another. */
  end(): void {
    this.ending.abort();
    this.backlog = [];
    this.head = 0;
  }

  private async someRoom(): Promise<void> {
    const { sink, clock } = this.parts;
    const limit = new AbortController();
    const cancel = clock.after(PATIENCE_MS, () => limit.abort());
    const signal = AbortSignal.any([limit.signal, this.ending.signal]);
    while (this.isFull && !signal.aborted && this.parts.isOpen()) {
      await sink.whenRoom(this.tenure.name, signal);
      this.handOver();
      if (this.isFull) await pause(clock, GATHER_MS, signal);
    }
    cancel();
  }

  private async feed(): Promise<void> {
    if (this.isFeeding) return;
    this.isFeeding = true;
    const { signal } = this.ending;
    while (this.isFull && !signal.aborted && this.parts.isOpen()) {
      await this.parts.sink.whenRoom(this.tenure.name, signal);
      this.handOver();
      if (this.isFull) await pause(this.parts.clock, GATHER_MS, signal);
    }
    this.isFeeding = false;
    if (!this.isFull && !signal.aborted && this.parts.isOpen()) this.resume();
  }

  private deliveryOf(message: KafkaMessage): KafkaDelivery {
    const { fetched } = this.parts;
    return new KafkaDelivery(this.tenure, message, fetched >= 0n && BigInt(message.offset) <= fetched);
  }

  private resume(): void {
    this.isPaused = false;
    this.parts.resume();
  }

  private handOver(): void {
    const { sink, isOpen } = this.parts;
    let hasMoved = false;
    while (this.isFull && isOpen() && !this.ending.signal.aborted) {
      const room = sink.room(this.tenure.name);
      if (room <= 0) break;
      const next = this.backlog.slice(this.head, this.head + room);
      this.head += next.length;
      // Created as late as this: what lives for a short time costs the garbage collector little.
      sink.deliver(next.map((message) => this.deliveryOf(message)));
      hasMoved = true;
    }
    if (this.isPaused && hasMoved && isOpen() && this.backlog.length - this.head <= this.lowWater)
      this.resume();
  }
}
