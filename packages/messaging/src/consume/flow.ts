// One file: the transitions of an entry are one table, and each uses the others.
import type { Logger } from "@framework/core";
import { aborted, type Clock, isPromise } from "@framework/core/feature";
import { messagingError } from "../errors/messaging-error.ts";
import type { Outcome, Outcomes } from "../message/outcome.ts";
import { openCircuitMs } from "../message/outcome-of-thrown.ts";
import type { Consumer } from "../port/broker-adapter.ts";
import type { Capabilities } from "../port/capabilities.ts";
import type { Delivery, Settlement } from "../port/delivery.ts";
import type { ConsumerState } from "../port/sink.ts";
import type { MessageRetry } from "../subscribe/message-retry.ts";
import { Committer } from "./committer.ts";
import type { ConsumeCounts } from "./consume-counts.ts";
import type { Entry } from "./entry.ts";
import { Intake } from "./intake.ts";
import { Lanes } from "./lanes.ts";
import type { RateGate } from "./rate-gate.ts";
import { nextTry } from "./retry-rules.ts";
import { Settler } from "./settler.ts";
import { limitTime, type TimeLimits } from "./time-limit.ts";
import type { Awaitable } from "@framework/core";

/** What the flow of a subscription needs. */
export interface FlowParts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly capabilities: Capabilities;
  readonly consumer: () => Consumer;
  readonly counts: ConsumeCounts;
  readonly order: "none" | "key" | "partition";
  readonly concurrency: number;
  readonly prefetch: number;
  readonly timeoutMs: number;
  readonly retry: MessageRetry;
  /** Entries of one call; 1 for handlers of single messages. */
  readonly batch: { readonly size: number; readonly waitMs: number };
  /** Limits how many calls begin; `null` for no limit. `due` is called when more may begin. */
  readonly rate: ((due: () => void) => RateGate) | null;
  /** Makes one try with entries that run together. Never throws. */
  readonly attempt: (entries: readonly Entry[]) => Awaitable<Outcomes>;
  /** Prepares a new entry: its tries so far, and how long it must wait. */
  readonly prepare: (entry: Entry) => { readonly waitMs: number };
  /** Stores a dead letter; resolves when it is safe and the delivery may be settled, `true` when it was settled too. Repeats until then. */
  readonly bury: (entry: Entry, error: unknown, signal: AbortSignal) => Promise<boolean>;
  /** Sends an entry to a retry topic; only with the capability `retryTopics`. */
  readonly postpone: (entry: Entry, tier: number, signal: AbortSignal) => Promise<void>;
  readonly stateChanged: (state: ConsumerState, reason: string | null) => void;
}

/** The flow of deliveries through one subscription: in order, by lanes, tried, retried, settled. */
export class Flow {
  readonly intake: Intake;
  private readonly parts: FlowParts;
  private readonly lanes = new Lanes();
  private readonly settler: Settler;
  private readonly committer: Committer;
  private readonly isCumulative: boolean;
  private readonly limits: TimeLimits;
  private readonly rate: RateGate | null;
  /** Aborts when the process gives up what it holds. */
  private readonly giveUp = new AbortController();
  private running = 0;
  private isDraining = false;
  private isPaused = false;
  /** By an operator. */
  private halted = false;
  private isSuspended = false;
  private isPumping = false;
  private isBatchDue = false;
  private cancelPause: () => void = () => {};
  private cancelBatch: (() => void) | null = null;
  private idle: PromiseWithResolvers<void> | null = null;

  constructor(parts: FlowParts) {
    this.parts = parts;
    const { clock, timeoutMs, counts } = parts;
    this.limits = { clock, timeoutMs, abandoned: () => void counts.abandoned++ };
    this.rate = parts.rate?.(() => this.pump()) ?? null;
    this.isCumulative = parts.capabilities.settlement === "cumulative";
    this.intake = new Intake({
      prefetch: parts.prefetch,
      isCumulative: this.isCumulative,
      laneOf: (delivery) => laneOf(delivery, parts.order),
      accepted: (entry) => this.accepted(entry),
      delivered: () => this.pump(),
      lost: (entries) => this.lost(entries),
      state: parts.stateChanged,
      suspended: (isSuspended) => this.suspended(isSuspended),
    });
    this.settler = new Settler({
      ...parts,
      settled: (settlement) => this.settled(settlement),
      lost: (deliveries) => this.intake.lost(deliveries),
      isWanted: ({ delivery }) => this.isCumulative || this.intake.has(delivery),
    });
    const settle = (settlement: Settlement): void => this.settler.add(settlement);
    this.committer = new Committer({ clock: parts.clock, windows: this.intake.windows, settle });
  }

  /** Handlers that run. */
  get inFlight(): number {
    return this.running;
  }

  /** Whether messages wait for the rate. */
  get isLimited(): boolean {
    return this.rate?.isWaiting ?? false;
  }

  /** Whether the process has given up what it holds, at the end of its drain. */
  get hasGivenUp(): boolean {
    return this.giveUp.signal.aborted;
  }

  /** Starts no handler until `resume`, and fetches nothing. */
  pauseFor(ms: number): void {
    const { clock, consumer } = this.parts;
    if (this.isDraining) return;
    this.cancelPause();
    if (!this.isPaused && !this.halted) consumer().pause();
    this.isPaused = true;
    this.cancelPause = clock.after(ms, () => {
      this.isPaused = false;
      this.goOn();
    });
  }

  /** Whether an operator has paused it. */
  get isHalted(): boolean {
    return this.halted;
  }

  /** Starts no handler and fetches nothing until `resume`. What runs is finished. */
  pause(): void {
    if (this.isDraining || this.halted) return;
    if (!this.isPaused) this.parts.consumer().pause();
    this.halted = true;
  }

  /** Ends `pause`. */
  resume(): void {
    if (!this.halted) return;
    this.halted = false;
    this.goOn();
  }

  /** Starts no further handler. */
  startNoMore(): void {
    this.isDraining = true;
  }

  /** Waits for the handlers until the deadline, and then aborts their signals. */
  async drain(deadline: AbortSignal): Promise<void> {
    this.startNoMore();
    this.cancelPause();
    this.cancelBatch?.();
    this.rate?.end();
    this.intake.close();
    for (const entry of this.intake.entries()) entry.cancelWait?.();
    await this.untilIdle(deadline);
    const reason = messagingError("MESSAGING_LOST", "the process stops");
    this.giveUp.abort(reason);
    for (const entry of this.intake.entries()) entry.abort(reason);
    this.committer.commitAll();
    await Promise.race([this.settler.flushed(), aborted(deadline)]);
    this.settler.end();
  }

  /** Fetches again, unless another pause holds. */
  private goOn(): void {
    if (this.isPaused || this.halted || this.isDraining) return;
    this.parts.consumer().resume();
    this.pump();
  }

  private suspended(isSuspended: boolean): void {
    this.isSuspended = isSuspended;
    if (isSuspended) this.committer.commitAll();
    else this.pump();
  }

  private accepted(entry: Entry): void {
    this.parts.counts.received++;
    if (entry.delivery.isRedelivered) this.parts.counts.redelivered++;
    const { waitMs } = this.parts.prepare(entry);
    if (waitMs > 0) this.hold(entry, waitMs, () => this.lanes.add(entry));
    else this.lanes.add(entry);
  }

  /** Starts what may run. A handler that returns at once is followed by the next in the same loop. */
  private pump(): void {
    if (this.isPumping) return;
    this.isPumping = true;
    this.startReady();
    this.rate?.drop();
    this.isPumping = false;
  }

  private startReady(): void {
    const { concurrency, batch } = this.parts;
    const isOpen = (): boolean => !this.isDraining && !this.isPaused && !this.halted && !this.isSuspended;
    while (isOpen() && this.running < concurrency) {
      if (this.lanes.readyCount < batch.size && batch.waitMs > 0 && !this.isBatchDue)
        return this.awaitBatch();
      if (!this.isAdmitted()) break;
      const entries = this.takeBatch(batch.size);
      if (entries.length === 0) break;
      this.isBatchDue = false;
      this.start(entries);
    }
  }

  private isAdmitted(): boolean {
    const { concurrency, batch } = this.parts;
    const ready = Math.ceil(this.lanes.readyCount / batch.size);
    return this.rate === null || (ready > 0 && this.rate.admits(Math.min(ready, concurrency - this.running)));
  }

  /** Waits for more messages of a batch. */
  private awaitBatch(): void {
    if (this.lanes.readyCount === 0 || this.cancelBatch !== null) return;
    this.cancelBatch = this.parts.clock.after(this.parts.batch.waitMs, () => {
      this.cancelBatch = null;
      this.isBatchDue = true;
      this.pump();
    });
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
      entry.firstAt ??= clock.date();
    }
    const outcomes = attempt(entries);
    if (!isPromise(outcomes)) return this.ended(entries, outcomes);
    limitTime(entries, outcomes, this.limits, (settled) => this.ended(entries, settled));
  }

  private ended(entries: readonly Entry[], outcomes: Outcomes): void {
    this.running--;
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at];
      if (entry === undefined) break;
      const outcome = "kind" in outcomes ? outcomes : outcomes[at];
      if (entry.isLost || this.giveUp.signal.aborted || outcome === undefined) this.lanes.free(entry);
      else this.decide(entry, outcome);
    }
    if (this.isDraining && this.running === 0) this.idle?.resolve();
    this.pump();
  }

  private decide(entry: Entry, outcome: Outcome): void {
    const { counts } = this.parts;
    if (outcome.kind === "done") {
      counts.done++;
      return this.finish(entry);
    }
    const pauseMs = openCircuitMs(outcome.error);
    if (pauseMs !== null) {
      this.pauseFor(pauseMs); // the message is not to blame: the try does not count
      return this.hold(entry, pauseMs);
    }
    if (outcome.kind === "retry" && outcome.counts === false) return this.hold(entry, outcome.delayMs ?? 0);
    entry.tries++;
    if (outcome.kind === "reject") return this.bury(entry, outcome.error);
    this.failed(entry, outcome.error, outcome.delayMs);
  }

  private failed(entry: Entry, error: unknown, wantedMs: number | null): void {
    const { retry, random, log, counts } = this.parts;
    const next = nextTry(retry, entry.tries, random());
    if (next.kind === "exhausted") return this.bury(entry, error);
    counts.retries++;
    const { topic } = entry.delivery;
    log.warn("messaging: a message failed and is tried again", { topic, tries: entry.tries, error });
    const delayMs = wantedMs ?? next.delayMs;
    entry.renewSignal();
    if (next.kind === "quick") return this.hold(entry, delayMs);
    this.delay(entry, delayMs, next.tier);
  }

  /** Has the broker keep the message until its next try where it can; otherwise this process holds it. */
  private delay(entry: Entry, delayMs: number, tier: number): void {
    const { maxRetryDelayMs, retryKeepsOrder, retryTopics } = this.parts.capabilities;
    const isOrdered = entry.lane !== null;
    if (maxRetryDelayMs >= delayMs && (!isOrdered || retryKeepsOrder)) return this.giveBack(entry, delayMs);
    if (!isOrdered && retryTopics) return void this.postpone(entry, tier);
    this.hold(entry, delayMs);
  }

  /** Gives an entry back to the broker, and those behind it in its lane. */
  private giveBack(entry: Entry, delayMs: number): void {
    const behind = entry.lane === null ? [] : this.lanes.takeBehind(entry.lane);
    for (const each of [entry, ...behind]) {
      each.state = "settling";
      this.settler.add({ delivery: each.delivery, action: "retry", delayMs, tries: each.tries });
      this.intake.endsNow(each);
    }
    this.lanes.free(entry);
  }

  private async postpone(entry: Entry, tier: number): Promise<void> {
    entry.state = "waiting";
    await this.parts.postpone(entry, tier, this.giveUp.signal).then(
      () => this.closed(entry, false),
      () => {}, // only when the process gives up: the broker delivers it again
    );
  }

  /** Ends an entry whose message is safe elsewhere. */
  private closed(entry: Entry, isSettled: boolean): void {
    if (entry.isLost) return; // which freed its lane
    if (!isSettled) this.finish(entry);
    else {
      this.lanes.free(entry);
      this.over(entry);
    }
    this.pump();
  }

  /** Keeps an entry, and its lane, until its next try. */
  private hold(entry: Entry, delayMs: number, due: () => void = () => this.lanes.again(entry)): void {
    entry.state = "waiting";
    if (this.isDraining) return;
    entry.cancelWait = this.parts.clock.after(delayMs, () => {
      entry.cancelWait = null;
      if (entry.isLost) return;
      entry.state = "queued";
      due();
      this.pump();
    });
  }

  private bury(entry: Entry, error: unknown): void {
    const { counts, log, bury } = this.parts;
    entry.state = "waiting";
    counts.deadLettered++;
    log.error("messaging: a message became a dead letter", {
      topic: entry.delivery.topic,
      tries: entry.tries,
      error,
    });
    void bury(entry, error, this.giveUp.signal).then(
      (isSettled) => this.closed(entry, isSettled),
      () => {}, // only when the process gives up: the broker delivers it again
    );
  }

  /** Settles an entry as done. */
  private finish(entry: Entry): void {
    this.lanes.free(entry);
    if (entry.isLost) return;
    if (entry.isSettled) return this.over(entry);
    entry.state = "settling";
    if (!this.isCumulative) {
      this.settler.add({ delivery: entry.delivery, action: "done" });
      return this.intake.endsNow(entry);
    }
    const window = this.intake.windows.get(entry.delivery.partition ?? "");
    window?.finish(entry);
    this.over(entry);
    if (window !== undefined) this.committer.finished(window);
  }

  private settled({ delivery }: Settlement): void {
    if (this.isCumulative) return;
    const entry = this.intake.entryOf(delivery);
    if (entry !== null) this.over(entry);
  }

  private over(entry: Entry): void {
    entry.state = "over";
    this.intake.release(entry);
  }

  private lost(entries: readonly Entry[]): void {
    const reason = messagingError("MESSAGING_LOST", "the broker gave the message to another consumer");
    for (const entry of entries) {
      const { state } = entry;
      entry.state = "over";
      entry.cancelWait?.();
      entry.abort(reason);
      if (state === "waiting") this.lanes.free(entry);
    }
    this.parts.counts.lost += entries.length;
    this.pump();
  }

  private async untilIdle(deadline: AbortSignal): Promise<void> {
    if (this.running === 0 || deadline.aborted) return;
    this.idle = Promise.withResolvers<void>();
    await Promise.race([this.idle.promise, aborted(deadline)]);
  }
}

const laneOf = ({ key, partition, topic }: Delivery, order: FlowParts["order"]): string | null => {
  if (order === "none") return null;
  if (order === "partition") return `${topic}\n${partition ?? ""}`;
  return key === null ? null : `${topic}\n${partition ?? ""}\n${key}`;
};
