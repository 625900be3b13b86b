import type { Clock } from "@framework/core/feature";
import { Deque } from "./deque.ts";
import { MemoryDelivery, type MemoryItem } from "./memory-item.ts";

/** A consumer of a group. */
export interface MemoryMember {
  /** Number of deliveries that it accepts now. */
  readonly room: number;
  deliver(deliveries: readonly MemoryDelivery[]): void;
  /** Schedules its groups when it has room again. */
  fetchWhenRoom(): void;
}

/** Maximum number of deliveries of one call. */
const MAX_BATCH = 256;

/** The messages of one group of a topic: ready, delayed, blocked by an earlier message of their lane, or held by a consumer. */
export class MemoryGroup {
  private readonly clock: Clock;
  private readonly ready = new Deque<MemoryItem>();
  /** Blocked items by lane. */
  private readonly lanes = new Map<string, Deque<MemoryItem>>();
  private readonly members = new Set<MemoryMember>();
  private readonly held = new Map<MemoryDelivery, MemoryMember>();
  private waiting = 0;
  private blocked = 0;
  private isScheduled = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Messages that are not settled. */
  get size(): number {
    return this.backlog + this.held.size;
  }

  /** Messages that no consumer holds. */
  get backlog(): number {
    return this.ready.length + this.blocked + this.waiting;
  }

  /** Messages that are ready to be delivered. */
  get overdue(): number {
    return this.ready.length;
  }

  add(item: MemoryItem): void {
    if (item.lane !== null && !this.enter(item, item.lane)) return;
    this.waitForTime(item);
  }

  join(member: MemoryMember): void {
    this.members.add(member);
    this.schedule();
  }

  /** Removes a member and makes its deliveries ready for the others, in order. */
  leave(member: MemoryMember): void {
    this.members.delete(member);
    const returned = Array.from(this.held).flatMap(([delivery, holder]) =>
      holder === member ? [delivery] : [],
    );
    for (const delivery of returned) this.held.delete(delivery);
    this.ready.unshift(...returned.map(({ item }) => item).toSorted((a, b) => a.sequence - b.sequence));
    this.schedule();
  }

  /** Removes a message. Returns whether it was held. */
  done(delivery: MemoryDelivery): boolean {
    if (!this.held.delete(delivery)) return false;
    if (delivery.item.lane !== null) this.releaseNext(delivery.item.lane);
    return true;
  }

  /** Delivers a message again after a delay; its lane waits for it. Returns whether it was held. */
  retry(delivery: MemoryDelivery, delayMs: number, tries: number): boolean {
    if (!this.held.delete(delivery)) return false;
    delivery.item.tries = tries;
    this.wait(delivery.item, delayMs);
    return true;
  }

  /** Delivers ready messages in a microtask. */
  schedule(): void {
    if (this.isScheduled || this.ready.length === 0) return;
    this.isScheduled = true;
    queueMicrotask(() => {
      this.isScheduled = false;
      this.handOver();
    });
  }

  /** Returns whether the item is the first of its lane; otherwise queues it. */
  private enter(item: MemoryItem, lane: string): boolean {
    const queue = this.lanes.get(lane);
    if (queue === undefined) {
      this.lanes.set(lane, new Deque());
      return true;
    }
    queue.push(item);
    this.blocked++;
    return false;
  }

  private releaseNext(lane: string): void {
    const item = this.lanes.get(lane)?.shift();
    if (item === undefined) return void this.lanes.delete(lane);
    this.blocked--;
    this.waitForTime(item);
  }

  private waitForTime(item: MemoryItem): void {
    this.wait(item, item.message.delayMs === 0 ? 0 : item.sentAt + item.message.delayMs - this.clock.date());
  }

  private wait(item: MemoryItem, delayMs: number): void {
    if (delayMs <= 0) {
      this.ready.push(item);
      return this.schedule();
    }
    this.waiting++;
    item.cancelWait = this.clock.after(delayMs, () => {
      this.waiting--;
      this.ready.push(item);
      this.schedule();
    });
  }

  private handOver(): void {
    for (const member of this.members) {
      const batch = this.take(member, Math.min(member.room, MAX_BATCH));
      if (batch.length === 0) continue;
      member.deliver(batch);
    }
    if (this.ready.length === 0) return;
    if (this.hasRoom()) return this.schedule();
    for (const member of this.members) member.fetchWhenRoom();
  }

  private take(member: MemoryMember, limit: number): readonly MemoryDelivery[] {
    const batch: MemoryDelivery[] = [];
    while (batch.length < limit) {
      const item = this.ready.shift();
      if (item === undefined) break;
      const delivery = new MemoryDelivery(item);
      this.held.set(delivery, member);
      batch.push(delivery);
    }
    return batch;
  }

  private hasRoom(): boolean {
    for (const { room } of this.members) if (room > 0) return true;
    return false;
  }
}
