import { NOT_BEFORE, numberIn, TRIES } from "../envelope/own-headers.ts";
import type { Consumer } from "../port/broker-adapter.ts";
import type { ConsumerState } from "../port/sink.ts";
import type { SubscriptionSpec } from "../subscribe/subscription-spec.ts";
import { Attempts } from "./attempts.ts";
import { consumeCounts, type ConsumeCounts } from "./consume-counts.ts";
import { Departures } from "./departures.ts";
import type { Entry } from "./entry.ts";
import { Flow } from "./flow.ts";
import { triesBefore } from "./retry-rules.ts";
import { retryTopicsOf } from "./retry-topics.ts";
import { Troubles } from "../waiting/troubles.ts";
import { prefetchOf, rateOf, type SubscriptionParts, topicsOf } from "./subscription-parts.ts";

/** Time for aborted tries with an inbox to end, after the deadline of a drain. */
const ENDING_MS = 1000;

/** A consumer is stalled after so long without a delivery, while messages are overdue. */
const STALLED_MS = 60_000;

/** A subscription that runs: its consumer, and the flow of its deliveries. */
export class RunningSubscription {
  readonly spec: SubscriptionSpec;
  readonly counts: ConsumeCounts = consumeCounts();
  /** State of the consumer, and why it is not running. */
  state: ConsumerState = "connecting";
  reason: string | null = "it has not started";
  /** Messages that waited at the broker when it was last asked; `null` when unknown. */
  lag: number | null = null;
  /** Messages that the consumer should have got by then. */
  overdue = 0;
  /** Deliveries so far, and when that was last normal. */
  private progress: { readonly received: number; readonly at: number };
  private readonly parts: SubscriptionParts;
  private readonly troubles: Troubles;
  private readonly consumer: Consumer;
  private readonly flow: Flow;
  private readonly attempts: Attempts;

  constructor(parts: SubscriptionParts) {
    const { spec } = parts;
    this.spec = spec;
    this.parts = parts;
    this.troubles = new Troubles(parts.clock);
    this.progress = { received: 0, at: parts.clock.now() };
    const consumer = (): Consumer => this.consumer;
    const departures = new Departures(parts, consumer, this.troubles);
    const hasGivenUp = (): boolean => this.flow.hasGivenUp;
    this.attempts = new Attempts(parts, { consumer, counts: this.counts, hasGivenUp });
    this.flow = new Flow({
      ...parts,
      consumer,
      counts: this.counts,
      troubles: this.troubles,
      order: spec.order,
      concurrency: spec.concurrency,
      prefetch: prefetchOf(parts),
      timeoutMs: spec.timeoutMs,
      retry: spec.retry,
      retryTopics: retryTopicsOf(spec, parts.capabilities),
      batch: spec.batch,
      rate: rateOf(parts),
      attempt: (entries) => this.attempts.make(entries),
      prepare: (entry) => this.prepare(entry),
      bury: (entry, error, signal) => departures.bury(entry, error, signal),
      postpone: (entry, to, signal) => departures.postpone(entry, to, signal),
      stateChanged: (state, reason) => this.changed(state, reason),
    });
    this.consumer = parts.broker.consumer({
      topics: topicsOf(parts),
      pattern: spec.topic instanceof RegExp ? spec.topic : null,
      deadLetterTopic: parts.park === null ? parts.deadLetterTopic : undefined,
      group: spec.group,
      order: spec.order,
      prefetch: prefetchOf(parts),
      batchSize: spec.batch.size,
      from: spec.from,
      isPrivate: parts.isPrivate,
      timeoutMs: spec.timeoutMs,
      sink: this.flow.intake,
    });
  }

  /** Label in messages and metrics. */
  get label(): string {
    return `${String(this.spec.topic)} ${this.spec.group}`;
  }

  /** Whether messages wait for the rate of the subscription. */
  get isLimited(): boolean {
    return this.flow.isLimited;
  }

  /** Whether an operator has paused it in this process. */
  get isPaused(): boolean {
    return this.flow.isHalted;
  }

  /** Takes no message in this process until `resume`; what runs is finished. */
  pause(): void {
    this.flow.pause();
  }

  /** Ends `pause`. */
  resume(): void {
    this.flow.resume();
    this.progress = { received: this.counts.received, at: this.parts.clock.now() };
  }

  get inFlight(): number {
    return this.flow.inFlight;
  }

  /** What fails now and is tried again; `null` for nothing. */
  get trouble(): string | null {
    return this.troubles.worst?.reason ?? null;
  }

  /** The same, when it has failed for a minute. */
  get lastingTrouble(): string | null {
    const { worst } = this.troubles;
    if (worst === null || worst.forMs < STALLED_MS) return null;
    return `${worst.reason}, for ${Math.round(worst.forMs / 1000)} s`;
  }

  start(): void {
    this.consumer.start();
  }

  /** Finishes what runs until the deadline; the rest goes back to the broker. */
  async stop(deadline: AbortSignal): Promise<void> {
    this.flow.startNoMore(); // a handler that ends while the consumer stops is not followed by the next
    await this.consumer.stop();
    await this.flow.drain(deadline);
    await this.attempts.running.ended(this.parts.clock, ENDING_MS); // those that were aborted are taken back
    await this.consumer.close();
  }

  /** Reads the lag, and notes whether anything was received since the last time. */
  async readLag(): Promise<void> {
    this.lag = await this.consumer.lag().catch(() => null);
    this.overdue = this.mayStall ? await this.consumer.overdue().catch(() => 0) : 0;
    if (this.overdue > 0 && this.mayStall) return;
    this.progress = { received: this.counts.received, at: this.parts.clock.now() };
  }

  /** Whether it has room for everything, and received nothing since the last time. */
  private get mayStall(): boolean {
    const isFed = this.state === "running" && !this.flow.isClosed;
    const isIdle = this.flow.intake.size === 0 && this.counts.received === this.progress.received;
    return isFed && isIdle && this.lag !== 0;
  }

  /** Milliseconds for which messages were overdue and none came, while nothing was held; 0 when that is not so. */
  get stalledMs(): number {
    const stalledMs = this.parts.clock.now() - this.progress.at;
    return stalledMs >= STALLED_MS ? stalledMs : 0;
  }

  private changed(state: ConsumerState, reason: string | null): void {
    this.state = state;
    this.reason = reason;
  }

  private prepare(entry: Entry): { readonly waitMs: number } {
    const { clock, spec } = this.parts;
    const { delivery } = entry;
    entry.tries = triesBefore(delivery, numberIn(delivery.headers, TRIES) ?? 0, spec.retry);
    const notBefore = numberIn(delivery.headers, NOT_BEFORE);
    return { waitMs: notBefore === null ? 0 : Math.max(0, notBefore - clock.date()) };
  }
}
