import { NOT_BEFORE, numberIn, TRIES } from "../envelope/own-headers.ts";
import type { Consumer } from "../port/broker-adapter.ts";
import type { ConsumerState } from "../port/sink.ts";
import type { SubscriptionSpec } from "../subscribe/subscription-spec.ts";
import { Attempts } from "./attempts.ts";
import { consumeCounts, type ConsumeCounts } from "./consume-counts.ts";
import { Forwarder } from "./forwarder.ts";
import type { Entry } from "./entry.ts";
import { Flow } from "./flow.ts";
import { triesBefore } from "./retry-rules.ts";
import { retryTopicsOf } from "./retry-topics.ts";
import { OngoingFailures } from "../waiting/ongoing-failures.ts";
import { prefetchOf, rateOf, type SubscriptionParts, topicsOf } from "./subscription-parts.ts";

/** Time for aborted tries with an inbox to end after the deadline of a drain. */
const ENDING_MS = 1000;

/** Time without a delivery, while messages are overdue, after which a consumer is stalled. */
const STALLED_MS = 60_000;

/** A running subscription: its consumer and the processing of its deliveries. */
export class RunningSubscription {
  readonly spec: SubscriptionSpec;
  readonly counts: ConsumeCounts = consumeCounts();
  /** State of the consumer. */
  state: ConsumerState = "connecting";
  /** Why the consumer is not running; `null` while it is. */
  reason: string | null = "it has not started";
  /** Messages waiting at the broker at the last reading; `null` when unknown. */
  lag: number | null = null;
  /** Overdue messages at the last reading; 0 unless the consumer may be stalled. */
  overdue = 0;
  /** Deliveries so far, and the time of the last reading that was not stalled. */
  private progress: { readonly received: number; readonly at: number };
  private reading: Promise<void> | null = null;
  private readonly parts: SubscriptionParts;
  private readonly failures: OngoingFailures;
  private readonly consumer: Consumer;
  private readonly flow: Flow;
  private readonly attempts: Attempts;

  constructor(parts: SubscriptionParts) {
    const { spec } = parts;
    this.spec = spec;
    this.parts = parts;
    this.failures = new OngoingFailures(parts.clock);
    this.progress = { received: 0, at: parts.clock.now() };
    const consumer = (): Consumer => this.consumer;
    const forwarder = new Forwarder(parts, consumer, this.failures);
    const hasGivenUp = (): boolean => this.flow.hasGivenUp;
    this.attempts = new Attempts(parts, { consumer, counts: this.counts, hasGivenUp });
    this.flow = new Flow({
      ...parts,
      consumer,
      counts: this.counts,
      failures: this.failures,
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
      deadLetter: (entry, error, signal) => forwarder.deadLetter(entry, error, signal),
      postpone: (entry, to, signal) => forwarder.postpone(entry, to, signal),
      onStateChange: (state, reason) => this.setState(state, reason),
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

  /** Topic and group, for messages and metrics. */
  get label(): string {
    return `${String(this.spec.topic)} ${this.spec.group}`;
  }

  /** Whether messages wait because of the subscription's rate. */
  get isLimited(): boolean {
    return this.flow.isLimited;
  }

  /** Whether an operator has paused the subscription in this process. */
  get isPaused(): boolean {
    return this.flow.isHalted;
  }

  /** Handles no message in this process until `resume`; running handlers finish. */
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

  /** Why a dead letter, retry or settlement is failing and being retried; `null` if none is. */
  get ongoingFailure(): string | null {
    return this.failures.longest?.reason ?? null;
  }

  /** Reason and duration of a failure that has lasted for a minute; `null` if none has. */
  get lastingFailure(): string | null {
    const { longest } = this.failures;
    if (longest === null || longest.forMs < STALLED_MS) return null;
    return `${longest.reason}, for ${Math.round(longest.forMs / 1000)} s`;
  }

  start(): void {
    this.consumer.start();
  }

  /** Finishes running handlers until the deadline and returns the other deliveries to the broker. */
  async stop(deadline: AbortSignal): Promise<void> {
    this.flow.stopDispatching(); // no handler may start while the consumer stops
    await this.consumer.stop();
    await this.flow.drain(deadline);
    await this.attempts.running.untilEnded(this.parts.clock, ENDING_MS); // aborted tries are uncounted in the inbox
    await this.consumer.close();
  }

  /** Reads the lag, and records whether anything was received since the last reading. One reading at a time: a broker may be slow. */
  readLag(): Promise<void> {
    return (this.reading ??= this.read().finally(() => (this.reading = null)));
  }

  private async read(): Promise<void> {
    this.lag = await this.consumer.lag().catch(() => null);
    this.overdue = this.mayBeStalled ? await this.consumer.overdue().catch(() => 0) : 0;
    if (this.overdue > 0 && this.mayBeStalled) return;
    this.progress = { received: this.counts.received, at: this.parts.clock.now() };
  }

  /** Whether it may be stalled: it fetches, holds nothing, received nothing since the last reading, and its lag is not 0. */
  private get mayBeStalled(): boolean {
    const isFed = this.state === "running" && !this.flow.isClosed;
    const isIdle = this.flow.intake.size === 0 && this.counts.received === this.progress.received;
    return isFed && isIdle && this.lag !== 0;
  }

  /** Milliseconds for which messages were overdue and none was received; 0 if not stalled. */
  get stalledMs(): number {
    if (this.overdue === 0 || !this.mayBeStalled) return 0; // the reading may be old
    const stalledMs = this.parts.clock.now() - this.progress.at;
    return stalledMs >= STALLED_MS ? stalledMs : 0;
  }

  private setState(state: ConsumerState, reason: string | null): void {
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
