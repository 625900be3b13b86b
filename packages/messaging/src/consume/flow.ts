import { aborted, isPromise } from "@framework/core/feature";
import { messagingError } from "../errors/messaging-error.ts";
import type { Outcomes } from "../message/outcome.ts";
import type { Delivery, Settlement } from "../port/delivery.ts";
import { BatchWait } from "./batch-wait.ts";
import { Committer } from "./committer.ts";
import type { Entry } from "./entry.ts";
import type { FlowParts } from "./flow-parts.ts";
import { Intake } from "./intake.ts";
import { Lanes } from "./lanes.ts";
import { Pauses } from "./pauses.ts";
import type { RateGate } from "./rate-gate.ts";
import { maxHoldMs } from "./retry-topics.ts";
import { Settler } from "./settler.ts";
import { limitTime, type TimeLimits } from "./time-limit.ts";
import { Transitions } from "./transitions.ts";

/** Processes the deliveries of one subscription: orders them by lane, runs and retries handlers, and settles the results. */
export class Flow {
  readonly intake: Intake;
  private readonly parts: FlowParts;
  private readonly lanes = new Lanes();
  private readonly settler: Settler;
  private readonly committer: Committer;
  private readonly isCumulative: boolean;
  private readonly limits: TimeLimits;
  private readonly rate: RateGate | null;
  private readonly pauses: Pauses;
  private readonly batchWait: BatchWait;
  private readonly transitions: Transitions;
  /** Aborts when the process abandons its deliveries, at the end of a drain. */
  private readonly giveUp = new AbortController();
  private running = 0;
  private isSuspended = false;
  private isPumping = false;
  private idle: PromiseWithResolvers<void> | null = null;

  constructor(parts: FlowParts) {
    this.parts = parts;
    const { clock, timeoutMs, counts } = parts;
    this.limits = { clock, timeoutMs, onAbandoned: () => void counts.abandoned++ };
    const pump = (): void => this.pump();
    this.rate = parts.rate?.(pump) ?? null;
    this.isCumulative = parts.capabilities.settlement === "cumulative";
    this.intake = new Intake({
      prefetch: parts.prefetch,
      isCumulative: this.isCumulative,
      laneOf: (delivery) => laneOf(delivery, parts.order),
      onAccepted: (entry) => this.accept(entry),
      onDelivered: pump,
      onLost: (entries) => this.transitions.dropLost(entries),
      onState: parts.onStateChange,
      onSuspended: (isSuspended) => this.setSuspended(isSuspended),
    });
    this.settler = new Settler({
      ...parts,
      onSettled: (settlement) => this.transitions.endSettled(settlement),
      onLost: (deliveries) => this.intake.lost(deliveries),
      isNeeded: ({ delivery }) => this.isCumulative || this.intake.has(delivery),
    });
    const settle = (settlement: Settlement): void => this.settler.add(settlement);
    this.committer = new Committer({ clock, windows: this.intake.windows, settle });
    this.pauses = new Pauses({ clock, consumer: parts.consumer, onEnded: pump });
    this.batchWait = new BatchWait({ clock, ...parts.batch, onDue: pump });
    this.transitions = new Transitions({
      ...parts,
      lanes: this.lanes,
      intake: this.intake,
      settler: this.settler,
      committer: this.committer,
      isCumulative: this.isCumulative,
      giveUp: this.giveUp.signal,
      isStopped: () => this.pauses.isStopped,
      pauseFor: (ms) => this.pauses.pauseFor(ms),
      pump,
    });
  }

  /** Number of running handlers, without abandoned ones; a batch counts once. */
  get inFlight(): number {
    return this.running;
  }

  /** Whether messages wait because of the rate. */
  get isLimited(): boolean {
    return this.rate?.isWaiting ?? false;
  }

  /** Whether the process has abandoned its deliveries, at the end of a drain. */
  get hasGivenUp(): boolean {
    return this.giveUp.signal.aborted;
  }

  /** Whether an operator has paused the subscription. */
  get isHalted(): boolean {
    return this.pauses.isHalted;
  }

  /** Whether the subscription fetches nothing because of an operator, an open circuit or a stop. */
  get isClosed(): boolean {
    return this.pauses.isClosed;
  }

  /** Starts no handler and fetches nothing until `resume`. Running handlers finish. */
  pause(): void {
    this.pauses.halt();
  }

  /** Ends `pause`. */
  resume(): void {
    this.pauses.resume();
  }

  /** Starts no further handler. */
  stopDispatching(): void {
    this.pauses.stop();
  }

  /**
   * Waits for running handlers and for unconfirmed retries and dead letters until the deadline; then aborts them, and drops settlements that the broker has not
   * recorded.
   */
  async drain(deadline: AbortSignal): Promise<void> {
    this.stopDispatching();
    this.pauses.end();
    this.batchWait.end();
    this.rate?.end();
    this.intake.close();
    for (const entry of this.intake.entries()) entry.cancelWait?.();
    await this.untilIdle(deadline);
    const reason = messagingError("MESSAGING_LOST", "the process stops");
    this.giveUp.abort(reason);
    for (const entry of this.intake.entries()) entry.abort(reason);
    this.committer.commitAll();
    await Promise.race([this.settler.untilFlushed(), aborted(deadline)]);
    this.settler.end();
  }

  private setSuspended(isSuspended: boolean): void {
    this.isSuspended = isSuspended;
    if (isSuspended) this.committer.commitAll();
    else this.pump();
  }

  private accept(entry: Entry): void {
    this.parts.counts.received++;
    if (entry.delivery.isRedelivered) this.parts.counts.redelivered++;
    const { waitMs } = this.parts.prepare(entry);
    if (waitMs > 0) this.wait(entry, waitMs);
    else this.lanes.add(entry);
  }

  private wait(entry: Entry, waitMs: number): void {
    const { topic } = entry.delivery;
    const maxMs = maxHoldMs(this.parts.retryTopics, topic);
    if (waitMs <= maxMs) return this.transitions.hold(entry, waitMs, () => this.lanes.add(entry));
    this.transitions.hold(entry, maxMs, () =>
      this.transitions.postpone(entry, { topic, delayMs: waitMs - maxMs }),
    );
  }

  /** Starts all entries that may run. Synchronous handlers run in one loop, without recursion. */
  private pump(): void {
    if (this.isPumping) return;
    this.isPumping = true;
    this.startReady();
    this.rate?.drop();
    this.isPumping = false;
  }

  private startReady(): void {
    const { concurrency, batch } = this.parts;
    while (!this.pauses.isClosed && !this.isSuspended && this.running < concurrency) {
      if (this.batchWait.waitIfPartial(this.lanes.readyCount)) return;
      if (!this.admit()) break;
      const entries = this.takeBatch(batch.size);
      this.batchWait.reset(); // also without entries: the ready ones were lost
      if (entries.length === 0) break;
      this.start(entries);
    }
  }

  private admit(): boolean {
    const { concurrency, batch } = this.parts;
    const ready = Math.ceil(this.lanes.readyCount / batch.size);
    return (
      this.rate === null || (ready > 0 && this.rate.takePermit(Math.min(ready, concurrency - this.running)))
    );
  }

  private takeBatch(size: number): readonly Entry[] {
    const entries: Entry[] = [];
    for (let entry = this.lanes.take(); entry !== null; entry = this.lanes.take()) {
      entries.push(entry);
      if (entries.length === size) break;
    }
    return entries;
  }

  private start(entries: readonly Entry[]): void {
    const { clock, attempt } = this.parts;
    this.running++;
    for (const entry of entries) {
      entry.state = "running";
      entry.isHandled = false;
      entry.firstAt ??= clock.date();
    }
    const outcomes = attempt(entries);
    if (!isPromise(outcomes)) return this.end(entries, outcomes);
    limitTime(entries, outcomes, this.limits, (settled) => this.end(entries, settled));
  }

  private end(entries: readonly Entry[], outcomes: Outcomes): void {
    this.running--;
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at];
      if (entry === undefined) break;
      const outcome = "kind" in outcomes ? outcomes : outcomes[at];
      if (entry.isReleased || this.giveUp.signal.aborted || outcome === undefined) this.lanes.free(entry);
      else this.transitions.decide(entry, outcome);
    }
    if (this.pauses.isStopped && this.running === 0) this.idle?.resolve();
    this.pump();
  }

  private async untilIdle(deadline: AbortSignal): Promise<void> {
    if (deadline.aborted) return;
    await Promise.race([this.untilAllEnded(), aborted(deadline)]);
  }

  private async untilAllEnded(): Promise<void> {
    this.idle = Promise.withResolvers<void>();
    if (this.running > 0) await this.idle.promise;
    await this.transitions.untilAllForwarded();
  }
}

const laneOf = ({ key, partition, topic }: Delivery, order: FlowParts["order"]): string | null => {
  if (order === "none") return null;
  if (order === "partition") return `${topic}\n${partition ?? ""}`;
  return key === null ? null : `${topic}\n${partition ?? ""}\n${key}`;
};
