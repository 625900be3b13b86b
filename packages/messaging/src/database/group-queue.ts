import { type Awaitable } from "@framework/core";
import {
  type AdmissionResult,
  type Kernel,
  TryLaterError,
  untilEnded,
  type WorkItem,
  type WorkQueue,
} from "@framework/durable/feature";
import { endsWithProcess } from "../request/reply-topics.ts";
import { DatabaseDelivery } from "./database-delivery.ts";

/** A consumer of a group in this process. */
export interface Member {
  /** Number of deliveries that it accepts now. */
  readonly room: number;
  /** Resolves when it accepts more, or when `signal` aborts. */
  whenRoom(signal: AbortSignal): Promise<void>;
  deliver(delivery: DatabaseDelivery): void;
}

/** Time limit of an item, a week: messaging has its own, shorter limits. */
const LIMIT_MS = 604_800_000;

/** Deliveries after which the queue parks a message that kills every process. */
const MAX_DELIVERIES = 1000;

/** Poll interval while no consumer of this process has room. */
const NO_ROOM_POLL_MS = 1000;

/** The work queue of one group in this process. It is defined once; consumers join and leave. */
export class GroupQueue {
  private readonly topic: string;
  private readonly members = new Set<Member>();
  private readonly queue: WorkQueue<unknown>;
  /** Pending waits for room; each ends when its signal aborts. */
  private readonly waits = new Set<AbortController>();
  /** Number of polls for messages, now and at the last call of `overdue`. */
  private polls = 0;
  private pollsBefore = -1;

  constructor(kernel: Kernel, topic: string, name: string) {
    this.topic = topic;
    this.queue = kernel.queue<unknown>({
      name,
      kind: "message",
      concurrency: 1000,
      timeoutMs: LIMIT_MS,
      retry: { attempts: MAX_DELIVERIES },
      isPlain: true,
      endsWithStop: endsWithProcess(topic), // requests of this process receive their replies until its stop
      admission: (wanted) => this.admit(wanted),
      handle: (item) => this.handle(item),
    });
  }

  /** Counts messages that no consumer holds. */
  async lag(): Promise<number> {
    const { waiting, ready, blocked } = await this.queue.stats();
    return waiting + ready + blocked;
  }

  /**
   * Counts due messages if the queue has not polled since the last call, or waits for room; otherwise 0, because due messages that a poll does not return are
   * held, or follow a held message of their key.
   */
  async overdue(): Promise<number> {
    const isPolling = this.waits.size === 0 && this.polls !== this.pollsBefore;
    this.pollsBefore = this.polls;
    return isPolling ? 0 : (await this.queue.stats()).ready;
  }

  join(member: Member): void {
    this.members.add(member);
    this.roomChanged();
  }

  leave(member: Member): void {
    this.members.delete(member);
    this.roomChanged();
  }

  /** Checks again which consumers have room. */
  roomChanged(): void {
    for (const wait of this.waits) wait.abort();
  }

  private admit(wanted: number): Awaitable<AdmissionResult> {
    const room = this.room;
    if (room > 0) return this.permits(Math.min(wanted, room));
    return this.waitForRoom(wanted);
  }

  private async waitForRoom(wanted: number): Promise<AdmissionResult> {
    if (this.members.size === 0) return this.permits(0);
    const wait = new AbortController();
    this.waits.add(wait);
    await Promise.race(Array.from(this.members, (member) => member.whenRoom(wait.signal)));
    this.waits.delete(wait);
    wait.abort();
    return this.permits(Math.min(wanted, this.room));
  }

  /** Permits need no counting: the queue requests more only after the items of its last claim were delivered, which reduces the room. */
  private permits(permits: number): AdmissionResult {
    if (permits > 0) this.polls++;
    return {
      permits,
      retryInMs: permits === 0 ? NO_ROOM_POLL_MS : 0, // `waitForRoom` waits
      async giveBack() {},
    };
  }

  private get room(): number {
    let room = 0;
    for (const member of this.members) room += member.room;
    return room;
  }

  private handle(item: WorkItem<unknown>): typeof untilEnded {
    const member = this.memberWithMostRoom();
    if (member === null) throw new TryLaterError(0, { isCounted: false });
    member.deliver(new DatabaseDelivery(this.topic, item));
    return untilEnded;
  }

  private memberWithMostRoom(): Member | null {
    let best: Member | null = null;
    for (const member of this.members) if (member.room > (best?.room ?? 0)) best = member;
    return best;
  }
}
