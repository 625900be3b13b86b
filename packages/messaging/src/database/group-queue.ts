import { type Awaitable } from "@framework/core";
import {
  type Admitted,
  type Kernel,
  TryLaterError,
  untilEnded,
  type WorkItem,
  type WorkQueue,
} from "@framework/durable/feature";
import { endsWithProcess } from "../request/reply-topics.ts";
import { DatabaseDelivery } from "./database-delivery.ts";

/** A consumer, as a queue sees it. */
export interface Member {
  /** Deliveries that it takes now. */
  readonly room: number;
  /** Resolves when it takes more, or when `signal` aborts. */
  whenRoom(signal: AbortSignal): Promise<void>;
  deliver(delivery: DatabaseDelivery): void;
}

/** A week: messaging has limits of its own. */
const LIMIT_MS = 604_800_000;

/** Deliveries after which a message is given up that kills every process. */
const MAX_DELIVERIES = 1000;

/** Time between two looks while no consumer of this process has room. */
const CLOSED_MS = 1000;

/** The queue of one group in this process. It is defined once; consumers come and go. */
export class GroupQueue {
  private readonly topic: string;
  private readonly members = new Set<Member>();
  private readonly queue: WorkQueue<unknown>;
  /** Waits for room; each ends when its signal aborts. */
  private readonly waits = new Set<AbortController>();
  /** How often it has looked for messages, now and at the last call of `overdue`. */
  private looks = 0;
  private looksBefore = -1;

  constructor(kernel: Kernel, topic: string, name: string) {
    this.topic = topic;
    this.queue = kernel.queue<unknown>({
      name,
      kind: "message",
      concurrency: 1000,
      timeoutMs: LIMIT_MS,
      retry: { attempts: MAX_DELIVERIES },
      isPlain: true,
      endsWithStop: endsWithProcess(topic), // requests of this process get their replies until its stop
      admission: (wanted) => this.admit(wanted),
      handle: (item) => this.handle(item),
    });
  }

  /** Messages that no consumer holds. */
  async lag(): Promise<number> {
    const { waiting, ready, blocked } = await this.queue.stats();
    return waiting + ready + blocked;
  }

  /** Messages that are due, if the queue has not looked for them since the last call: what it does not find is held, or behind a message of its key. */
  async overdue(): Promise<number> {
    const isLooking = this.waits.size === 0 && this.looks !== this.looksBefore;
    this.looksBefore = this.looks;
    return isLooking ? 0 : (await this.queue.stats()).ready;
  }

  join(member: Member): void {
    this.members.add(member);
    this.change();
  }

  leave(member: Member): void {
    this.members.delete(member);
    this.change();
  }

  /** Looks again at who has room. */
  change(): void {
    for (const wait of this.waits) wait.abort();
  }

  private admit(wanted: number): Awaitable<Admitted> {
    const room = this.room;
    if (room > 0) return this.permits(Math.min(wanted, room));
    return this.waitForRoom(wanted);
  }

  private async waitForRoom(wanted: number): Promise<Admitted> {
    if (this.members.size === 0) return this.permits(0);
    const wait = new AbortController();
    this.waits.add(wait);
    await Promise.race(Array.from(this.members, (member) => member.whenRoom(wait.signal)));
    this.waits.delete(wait);
    wait.abort();
    return this.permits(Math.min(wanted, this.room));
  }

  /** Permits are not counted: the queue asks for the next ones when the items of its last claim are delivered, and take their room. */
  private permits(permits: number): Admitted {
    if (permits > 0) this.looks++;
    return {
      permits,
      retryInMs: permits === 0 ? CLOSED_MS : 0, // it waits for room by itself
      async giveBack() {},
    };
  }

  private get room(): number {
    let room = 0;
    for (const member of this.members) room += member.room;
    return room;
  }

  private handle(item: WorkItem<unknown>): typeof untilEnded {
    const member = this.roomiest();
    if (member === null) throw new TryLaterError(0, { isCounted: false });
    member.deliver(new DatabaseDelivery(this.topic, item));
    return untilEnded;
  }

  private roomiest(): Member | null {
    let best: Member | null = null;
    for (const member of this.members) if (member.room > (best?.room ?? 0)) best = member;
    return best;
  }
}
