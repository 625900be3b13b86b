// More than 250 lines, because one class owns the mutable state of the loop; everything else is in the neighbouring files.
import type { HostInsight } from "@framework/core/feature";
import type { KernelBase } from "../../base/kernel-base.ts";
import type { KernelPart } from "../../base/kernel-life.ts";
import type { LeasedTable } from "../../owners/leased-table.ts";
import type { Owners } from "../../owners/owners.ts";
import { type PollOutcome, PollLoop } from "../../wake-up/poll-loop.ts";
import type { WakeUp } from "../../wake-up/wake-up.ts";
import type { QueueDefinition } from "../queue/queue-options.ts";
import type { WorkStore } from "../table/work-store.ts";
import { DueTimer } from "./due-timer.ts";
import { Housekeeping } from "./housekeeping.ts";
import { inBatches, MAX_BATCHES } from "./in-batches.ts";
import { type Invoke, invokeWith } from "./invoke.ts";
import { Outcomes } from "./outcomes.ts";
import type { Park } from "./park.ts";
import { QueueWorker } from "./queue-worker.ts";
import { queuesCheck } from "./queue-health.ts";
import { reportWork } from "./work-metrics.ts";
import { WorkTimes } from "./work-times.ts";
import { CANCELLED_CHANNEL, readyChannel } from "./work-channels.ts";

/** Dependencies of `WorkLoop`. */
export interface WorkLoopParts {
  readonly base: KernelBase;
  readonly store: () => WorkStore;
  readonly owners: Owners;
  readonly wakeUp: WakeUp;
  readonly park: Park;
}

/** Time that `stop` allows for the running items of `endsWithStop` queues. */
const STOP_MS = 1000;

/** The loop of a process that works on all of its queues. */
export class WorkLoop implements KernelPart, LeasedTable {
  readonly name = "framework_work";
  private readonly parts: WorkLoopParts;
  private readonly workers = new Map<string, QueueWorker>();
  private readonly outcomes: Outcomes;
  private readonly housekeeping: Housekeeping;
  private readonly due: DueTimer;
  private readonly ends: (() => void)[] = [];
  private readonly times = new WorkTimes();
  private invoke: Invoke | null = null;
  private poll: PollLoop | null = null;
  private hasBegun = false;
  private isDraining = false;
  private hasStopped = false;
  private isScheduled = false;
  private onTurnEnd: () => void = () => {};

  constructor(parts: WorkLoopParts) {
    const { base, store } = parts;
    const onReady = (queue: string): void => this.hint(queue);
    this.parts = parts;
    this.due = new DueTimer(base.clock, () => this.poll?.wake());
    this.outcomes = new Outcomes({
      store,
      clock: base.clock,
      log: () => base.log,
      schedule: () => this.schedule(),
      onFreed: onReady,
      onDueIn: (delayMs) => this.dueIn(delayMs),
    });
    this.housekeeping = new Housekeeping({ base, store, workers: () => this.workers.values(), onReady });
  }

  /** Marks the loop as used: queues may be defined after the start. */
  use(): void {
    this.initInvoke();
  }

  /** Whether the work table exists. */
  get isUsed(): boolean {
    return this.invoke !== null;
  }

  /** Works on a queue once the loop has started. */
  add(definition: QueueDefinition): void {
    const { base, store, park } = this.parts;
    const { outcomes, times } = this;
    const invoke = this.initInvoke();
    const onFreed = (): void => this.schedule();
    const worker = new QueueWorker({ base, definition, store, outcomes, park, invoke, times, onFreed });
    this.workers.set(definition.name, worker);
    if (!this.worksOn(definition) || (this.isDraining && !definition.endsWithStop)) worker.drain();
    if (this.poll !== null) return this.workOn(definition);
    if (this.hasBegun && !this.hasStopped && !base.config.runWork && definition.endsWithStop)
      void this.openInBackground();
  }

  /** With `runWork: false` this process works only on queues with `endsWithStop`, such as the queue of replies to its requests. */
  private worksOn({ endsWithStop }: QueueDefinition): boolean {
    return endsWithStop || this.parts.base.config.runWork;
  }

  private workOn(definition: QueueDefinition): void {
    const { name, endsWithStop } = definition;
    if (!this.worksOn(definition)) return;
    if (!endsWithStop) this.parts.base.life.holdProcess();
    this.listen(name);
    this.hint(name);
  }

  worker(queue: string): QueueWorker | undefined {
    return this.workers.get(queue);
  }

  definitions(): readonly QueueDefinition[] {
    return Array.from(this.workers.values(), ({ definition }) => definition);
  }

  async begin(): Promise<void> {
    const { base } = this.parts;
    this.hasBegun = true;
    const hasWork = base.config.runWork || this.definitions().some(({ endsWithStop }) => endsWithStop);
    if (!hasWork || !this.isUsed) return;
    if (base.config.runWork && this.workers.size > 0) base.life.holdProcess();
    await this.open();
  }

  private async openInBackground(): Promise<void> {
    const { base } = this.parts;
    try {
      await this.open();
    } catch (error) {
      if (this.hasStopped) return;
      base.log.warn("durable: work could not begin and will be retried", { error });
      this.ends.push(base.clock.after(base.config.pollMaxMs, () => void this.openInBackground()));
    }
  }

  private async open(): Promise<void> {
    const { base, owners, wakeUp } = this.parts;
    const { runWork, pollMinMs: minMs, pollMaxMs: maxMs } = base.config;
    await owners.join();
    if (this.poll !== null || this.hasStopped) return;
    const onError = (error: unknown): void => base.log.warn("durable: a poll for work failed", { error });
    this.poll = new PollLoop({ clock: base.clock, minMs, maxMs, pollOnce: () => this.pollOnce(), onError });
    for (const [queue, worker] of this.workers) {
      if (!this.worksOn(worker.definition)) continue;
      worker.begin();
      this.listen(queue);
    }
    this.ends.push(wakeUp.on(CANCELLED_CHANNEL, () => void this.renewNow()));
    this.poll.begin();
    if (runWork) this.housekeeping.begin();
  }

  /**
   * Stops claiming, waits for the handlers until the deadline, and then gives their items back. Queues with `endsWithStop` continue, and so does the
   * loop, because such a queue may be defined during the drain.
   */
  async drain(deadline: AbortSignal): Promise<void> {
    this.isDraining = true;
    await this.finish((each) => !each.definition.endsWithStop, deadline);
  }

  async stop(): Promise<void> {
    this.hasStopped = true;
    for (const end of this.ends) end();
    this.due.end();
    await this.poll?.end();
    const grace = new AbortController();
    const cancel = this.parts.base.clock.after(STOP_MS, () => grace.abort());
    await this.finish((each) => each.definition.endsWithStop, grace.signal);
    cancel();
    this.outcomes.end();
  }

  private async finish(isIncluded: (worker: QueueWorker) => boolean, deadline: AbortSignal): Promise<void> {
    const workers = Array.from(this.workers.values()).filter(isIncluded);
    for (const worker of workers) worker.drain();
    await this.housekeeping.end();
    await this.untilIdle(workers, deadline);
    for (const worker of workers) worker.release();
    await this.outcomes.flushAll();
  }

  /** Called when items of a queue may be ready. */
  hint(queue: string): void {
    const worker = this.workers.get(queue);
    if (worker === undefined) return;
    worker.isHinted = true;
    this.schedule();
  }

  /** Polls when an item is due, if that is before the next regular poll. */
  dueIn(delayMs: number): void {
    if (delayMs <= this.parts.base.config.pollMaxMs) this.due.set(delayMs);
  }

  async renew(signal: AbortSignal): Promise<void> {
    const { base, store } = this.parts;
    const held = Array.from(this.workers.values(), (worker) => [worker, worker.heldAttempts] as const);
    const attempts = held.flatMap(([, each]) => each);
    if (attempts.length === 0) return;
    const urgent = base.db.until(signal, { isUrgent: true }); // handlers may hold all connections of the pool
    const renewed = await store().leasing.renew(attempts, base.config.leaseMs, urgent);
    for (const [worker, each] of held) worker.lose(each.filter(({ id }) => !renewed.has(id)));
  }

  async expire(owners: readonly string[]): Promise<number> {
    if (!this.isUsed) return 0;
    const { wakeUp } = this.parts;
    const queues = await inBatches(() => this.parts.store().leasing.takeFrom(owners));
    for (const queue of new Set(queues)) wakeUp.signal(readyChannel(queue));
    return queues.length + (await this.parts.store().leasing.countOf(owners));
  }

  lost(): void {
    for (const worker of this.workers.values()) worker.lose(worker.heldAttempts);
    this.outcomes.drop();
  }

  report(insight: HostInsight): void {
    reportWork(insight, { workers: () => this.workers.values() });
  }

  /** Returns the function that calls handlers. The first call publishes the metrics and the health check, which only an app with queues has. */
  private initInvoke(): Invoke {
    if (this.invoke !== null) return this.invoke;
    const { host } = this.parts.base;
    if (host !== null) {
      this.times.publish(host.insight);
      host.insight.healthCheck(queuesCheck(() => this.workers.values()));
    }
    return (this.invoke = invokeWith(host));
  }

  private listen(queue: string): void {
    this.ends.push(this.parts.wakeUp.on(readyChannel(queue), () => this.hint(queue)));
  }

  /** Claims and flushes once at the end of this turn of the event loop: one claim and one write for all of its events, in one round trip or commit. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      for (const worker of this.workers.values()) worker.claim();
      this.outcomes.flush();
      this.onTurnEnd();
    });
  }

  private async pollOnce(): Promise<PollOutcome> {
    const { leasing } = this.parts.store();
    const able = this.definitions().filter(({ name }) => (this.workers.get(name)?.free ?? 0) > 0);
    if (this.isDraining && able.length === 0) return "none";
    const found = await leasing.pollOnce(able.map(({ name }) => name));
    const ready = [...found.ready];
    if (hasPassed(found.dueInMs)) ready.push(...(await inBatches(() => leasing.wake())));
    if (hasPassed(found.endsInMs)) ready.push(...(await inBatches(() => leasing.takeExpired())));
    for (const queue of new Set(ready)) this.hint(queue);
    await this.block();
    if (found.dueInMs !== null) this.dueIn(Math.max(found.dueInMs, 1));
    return ready.length > 0 ? "some" : "none";
  }

  /** Blocks ready items that wait for others of their key, so that claims need not skip them. */
  private async block(): Promise<void> {
    const { keyOrder } = this.parts.store();
    for (const { hasKeys, definition } of this.workers.values())
      for (let batch = 0; hasKeys && batch < MAX_BATCHES; batch++)
        if ((await keyOrder.block(definition.name)) === 0) break;
  }

  /** An item was cancelled in some process. If it runs here, the renewal finds that it is no longer held. */
  private async renewNow(): Promise<void> {
    await this.renew(AbortSignal.timeout(this.parts.base.config.leaseMs)).catch(() => {}); // the next renewal finds it
  }

  private async untilIdle(workers: readonly QueueWorker[], deadline: AbortSignal): Promise<void> {
    const areIdle = (): boolean => workers.every(({ isIdle }) => isIdle);
    if (areIdle() || deadline.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.onTurnEnd = () => {
      if (areIdle()) resolve();
    };
    deadline.addEventListener("abort", () => resolve(), { once: true });
    await promise;
  }
}

const hasPassed = (ms: number | null): boolean => ms !== null && ms <= 0;
