import { aborted, messageOf } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import { type Kernel, pause, TryLaterError } from "@framework/durable/feature";
import type { BrokerContext, Consumer, ConsumerOptions } from "../port/broker-adapter.ts";
import type { Delivery, Settlement } from "../port/delivery.ts";
import { DatabaseDelivery } from "./database-delivery.ts";
import type { GroupQueue, Member } from "./group-queue.ts";
import type { Groups } from "./groups.ts";

/** Dependencies of `DatabaseConsumer`. */
export interface DatabaseConsumerParts {
  readonly kernel: Kernel;
  readonly groups: Groups;
  readonly context: BrokerContext;
  /** Returns the queue of a group in this process. */
  readonly queueOf: (topic: string, group: string) => GroupQueue;
}

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;

/** Interval of searches for messages that were sent before the topic had a group. */
const ADOPT_MS = 10_000;

/** Interval of registrations of a private group. */
const REGISTER_MS = 60_000;

/** A consumer of topics in the database. */
export class DatabaseConsumer implements Consumer, Member {
  private readonly parts: DatabaseConsumerParts;
  private readonly options: ConsumerOptions;
  private readonly queues: GroupQueue[] = [];
  private readonly held = new Set<DatabaseDelivery>();
  private readonly ending = new AbortController();
  private state: "new" | "starting" | "running" | "stopped" | "closed" = "new";
  private isPaused = false;
  private starting: Promise<void> = Promise.resolve();
  private cancelMaintenance: () => void = () => {};
  private runningMaintenance: Promise<void> | null = null;

  constructor(parts: DatabaseConsumerParts, options: ConsumerOptions) {
    this.parts = parts;
    this.options = options;
  }

  get room(): number {
    if (this.state !== "running" || this.isPaused) return 0;
    return this.options.sink.room(null);
  }

  async whenRoom(signal: AbortSignal): Promise<void> {
    if (this.state === "running" && !this.isPaused) return await this.options.sink.whenRoom(null, signal);
    await aborted(signal);
  }

  deliver(delivery: DatabaseDelivery): void {
    this.held.add(delivery);
    delivery.item.onAborted(() => this.lost(delivery));
    this.options.sink.deliver([delivery]);
  }

  start(): void {
    if (this.state !== "new") return;
    this.state = "starting";
    this.starting = this.connect();
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    for (const queue of this.queues) queue.roomChanged();
  }

  async stop(): Promise<void> {
    if (this.state === "closed") return;
    this.state = "stopped";
    this.ending.abort();
    this.cancelMaintenance();
    for (const queue of this.queues) queue.leave(this);
    await Promise.all([this.starting, this.runningMaintenance]); // a registration must not run after the removal
  }

  settle(settlements: readonly Settlement[]): Promise<readonly Delivery[]> {
    const { promise, resolve } = Promise.withResolvers<readonly Delivery[]>();
    const lostDeliveries: Delivery[] = [];
    let open = settlements.length; // one promise for the call, not one for each settlement
    for (const settlement of settlements)
      this.settleOne(settlement, (isHeld) => {
        if (!isHeld) lostDeliveries.push(settlement.delivery);
        if (--open === 0) resolve(lostDeliveries);
      });
    if (settlements.length === 0) resolve(lostDeliveries);
    return promise;
  }

  async settleIn(tx: Transaction, delivery: Delivery): Promise<void> {
    if (!(delivery instanceof DatabaseDelivery))
      throw new TypeError("messaging: the delivery belongs to another broker");
    await delivery.item.complete(tx);
    tx.onCommit(() => {
      this.held.delete(delivery);
      delivery.end(null);
    });
  }

  async lag(): Promise<number> {
    if (!this.parts.kernel.runsWork) return 0; // other processes handle the messages: this one is not stalled
    const lags = await Promise.all(this.queues.map((queue) => queue.lag()));
    return lags.reduce((sum, lag) => sum + lag, 0);
  }

  async overdue(): Promise<number> {
    if (!this.parts.kernel.runsWork) return 0;
    const counts = await Promise.all(this.queues.map((queue) => queue.overdue()));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async close(): Promise<void> {
    if (this.state === "closed") return;
    await this.stop();
    this.state = "closed";
    await this.returnHeld();
    if (this.options.isPrivate) await this.removeTopics();
    this.options.sink.state("closed");
  }

  /** Returns held deliveries to the queue; their attempts do not count. */
  private async returnHeld(): Promise<void> {
    const returned = Array.from(this.held, (delivery) => {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      this.settleOne({ delivery, action: "retry", delayMs: 0, tries: 0 }, resolve, false);
      return promise;
    });
    await Promise.all(returned);
  }

  /** @param onSettled called with whether the delivery was still held when its outcome was stored */
  private settleOne(settlement: Settlement, onSettled: (isHeld: boolean) => void, isCounted = true): void {
    const { delivery } = settlement;
    if (!(delivery instanceof DatabaseDelivery) || !this.held.delete(delivery)) return onSettled(false);
    delivery.item.onSettled(onSettled);
    delivery.end(settlement.action === "done" ? null : new TryLaterError(settlement.delayMs, { isCounted }));
  }

  private lost(delivery: DatabaseDelivery): void {
    if (!this.held.delete(delivery)) return;
    delivery.end(new Error("the delivery was lost"));
    this.options.sink.lost([delivery]);
  }

  private async connect(): Promise<void> {
    const { context } = this.parts;
    const { signal } = this.ending;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      try {
        return await this.open(signal);
      } catch (error) {
        this.options.sink.state("connecting", messageOf(error));
      }
      await pause(context.clock, pauseMs, signal);
    }
  }

  private async open(signal: AbortSignal): Promise<void> {
    const { context, queueOf } = this.parts;
    const { topics, group, sink } = this.options;
    await this.register();
    if (signal.aborted) return;
    this.state = "running";
    for (const topic of topics) this.queues.push(queueOf(topic, group));
    for (const queue of this.queues) queue.join(this);
    const { everyMs, run } = this.maintenance();
    this.cancelMaintenance = context.clock.every(everyMs, () => {
      this.runningMaintenance ??= run()
        .catch(() => {}) // repeated at the next interval
        .finally(() => (this.runningMaintenance = null));
    });
    sink.state("running");
  }

  private async register(): Promise<void> {
    const { topics, group: name, order: ordering, isPrivate } = this.options;
    const { groups } = this.parts;
    await groups.register(topics.map((topic) => ({ topic, name, ordering, isPrivate })));
    await (isPrivate ? groups.prune() : this.adopt("all"));
  }

  /** Returns the periodic work of a running consumer. A private topic has no earlier messages to adopt. */
  private maintenance(): { readonly everyMs: number; readonly run: () => Promise<void> } {
    return this.options.isPrivate
      ? { everyMs: REGISTER_MS, run: () => this.register() }
      : { everyMs: ADOPT_MS, run: () => this.adopt("due") };
  }

  private async adopt(scope: "all" | "due"): Promise<void> {
    const { topics, group, order } = this.options;
    const { signal } = this.ending;
    for (const topic of topics)
      while (!signal.aborted && (await this.parts.groups.adopt(topic, group, order, scope)));
  }

  private async removeTopics(): Promise<void> {
    const { topics, group } = this.options;
    for (const topic of topics) await this.parts.groups.remove(topic, group).catch(() => {}); // `prune` of another process removes the rest
  }
}
