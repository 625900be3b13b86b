// One file: it wires the parts of a subscription, and each part is in a file of its own.
import { type Awaitable, type Logger, type Middleware } from "@framework/core";
import {
  type Clock,
  type Host,
  isPromise,
  mapAwaitable,
  type Operations,
  type PermitStore,
} from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import { failureOf } from "@framework/durable/feature";
import { NOT_BEFORE, numberIn, TRIES } from "../envelope/own-headers.ts";
import { type Dead, deadLetter, postponed } from "../dead-letter/dead-letters.ts";
import type { Message } from "../message/message.ts";
import { IncomingMessage } from "../message/incoming-message.ts";
import type { Outcome, Outcomes } from "../message/outcome.ts";
import type { Broker, Consumer } from "../port/broker-adapter.ts";
import type { Capabilities } from "../port/capabilities.ts";
import type { OutgoingMessage } from "../port/delivery.ts";
import type { ConsumerState } from "../port/sink.ts";
import { type ReplyParts, replyTopic, sendReply } from "../request/replies.ts";
import type { Sender } from "../send/sender.ts";
import { runBatch } from "../subscribe/run-batch.ts";
import { runHandler } from "../subscribe/run-handler.ts";
import { mostHeld } from "../subscribe/message-rate.ts";
import type { SubscriptionSpec } from "../subscribe/subscription-spec.ts";
import type { DatabaseInbox } from "../inbox/database-inbox.ts";
import { inboxKey } from "../inbox/inbox-attempts.ts";
import { RunningTries } from "../inbox/running-tries.ts";
import { consumeCounts, type ConsumeCounts } from "./consume-counts.ts";
import type { Entry } from "./entry.ts";
import { Flow } from "./flow.ts";
import { type MessageLimits, openMessage, type Opened } from "./open-message.ts";
import { RateGate } from "./rate-gate.ts";
import { mainTopic, retryTopic } from "./retry-topics.ts";
import { triesBefore } from "./retry-rules.ts";
import { untilDone } from "./until-done.ts";

/** What a subscription needs to run. */
export interface SubscriptionParts extends MessageLimits {
  readonly spec: SubscriptionSpec;
  readonly broker: Broker;
  readonly brokerName: string;
  readonly capabilities: Capabilities;
  readonly sender: Sender;
  readonly state: Host["state"];
  /** Permits of rates. */
  readonly permits: PermitStore;
  readonly operations: Operations<Message>;
  readonly middleware: readonly Middleware<Message, Outcome>[];
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Stores a dead letter in the database, with its settlement where the broker can; `null` when dead letters go to a topic. */
  readonly park:
    | ((dead: Dead, settleIn: ((tx: Transaction) => Promise<void>) | null) => Promise<void>)
    | null;
  /** Topic of dead letters, when `park` is `null`. */
  readonly deadLetterTopic: string;
  readonly inbox: DatabaseInbox | null;
  readonly replies: ReplyParts;
  readonly isPrivate: boolean;
}

/** Time for aborted tries with an inbox to end, after the deadline of a drain. */
const ENDING_MS = 1000;

/** A consumer is stalled after so long without a delivery, while messages wait. */
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
  /** Deliveries so far, and when that was last normal. */
  private progress: { readonly received: number; readonly at: number };
  private readonly parts: SubscriptionParts;
  private readonly consumer: Consumer;
  private readonly flow: Flow;
  private readonly handle: (message: Message) => Awaitable<Outcome>;
  /** Tries with an inbox that run. */
  private readonly tries = new RunningTries();
  /** Entries of messages whose handlers run, for the inbox. */
  private readonly entries = new WeakMap<Message, Entry>();

  constructor(parts: SubscriptionParts) {
    const { spec } = parts;
    this.spec = spec;
    this.parts = parts;
    this.progress = { received: 0, at: parts.clock.now() };
    this.handle = this.observed(this.handler());
    this.flow = new Flow({
      ...parts,
      consumer: () => this.consumer,
      counts: this.counts,
      order: spec.order,
      concurrency: spec.concurrency,
      prefetch: prefetchOf(parts),
      timeoutMs: spec.timeoutMs,
      retry: spec.retry,
      batch: spec.batch,
      rate: rateOf(parts),
      attempt: (entries) => this.attempt(entries),
      prepare: (entry) => this.prepare(entry),
      bury: (entry, error, signal) => this.bury(entry, error, signal),
      postpone: (entry, tier, signal) => this.postpone(entry, tier, signal),
      stateChanged: (state, reason) => this.changed(state, reason),
    });
    this.consumer = parts.broker.consumer({
      topics: topicsOf(parts),
      pattern: spec.topic instanceof RegExp ? spec.topic : null,
      group: spec.group,
      order: spec.order,
      prefetch: prefetchOf(parts),
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

  start(): void {
    this.consumer.start();
  }

  /** Finishes what runs until the deadline; the rest goes back to the broker. */
  async stop(deadline: AbortSignal): Promise<void> {
    this.flow.startNoMore(); // a handler that ends while the consumer stops is not followed by the next
    await this.consumer.stop();
    await this.flow.drain(deadline);
    await this.tries.ended(this.parts.clock, ENDING_MS); // those that were aborted are taken back
    await this.consumer.close();
  }

  /** Reads the lag, and notes whether anything was received since the last time. */
  async readLag(): Promise<void> {
    this.lag = await this.consumer.lag().catch(() => null);
    const { clock } = this.parts;
    const { received } = this.counts;
    const isFed = this.state === "running" && !this.isPaused;
    const hasWork = (this.lag ?? 0) > 0 && isFed && this.flow.intake.size === 0;
    if (!hasWork || received !== this.progress.received) this.progress = { received, at: clock.now() };
  }

  /** Milliseconds for which messages have waited at the broker and none came, while nothing was held; 0 when that is not so. */
  get stalledMs(): number {
    const stalledMs = this.parts.clock.now() - this.progress.at;
    return stalledMs >= STALLED_MS ? stalledMs : 0;
  }

  private changed(state: ConsumerState, reason: string | null): void {
    this.state = state;
    this.reason = reason;
  }

  private handler(): (message: Message) => Awaitable<Outcome> {
    const { spec, state, middleware, log, replies, inbox } = this.parts;
    return runHandler({
      spec,
      state,
      middleware,
      reply: (message, value) =>
        replyTopic(message) === null ? undefined : sendReply(replies, message, value),
      log: () => log,
      inbox: inbox === null ? null : (message, work) => this.runOnce(inbox, message, work),
    });
  }

  private runOnce(
    inbox: DatabaseInbox,
    message: Message,
    work: (tx: Transaction) => Promise<Outcome>,
  ): Promise<Outcome> {
    const entry = this.entries.get(message) ?? null;
    const settleIn = this.consumer.settleIn?.bind(this.consumer);
    const together = async (tx: Transaction): Promise<void> => {
      if (entry === null || settleIn === undefined) return;
      await settleIn(tx, entry.delivery);
      tx.onCommit(() => void (entry.isSettled = true));
    };
    return this.tries.add(
      inbox.run({
        message,
        work,
        maxTries: this.spec.maxTries,
        settleIn: settleIn === undefined ? null : together,
        duplicate: () => void this.counts.duplicates++,
        counted: (attempts) => countedAs(entry, message, attempts),
        isGivenUp: () => this.flow.hasGivenUp,
      }),
    );
  }

  /** Publishes each try as an operation, while there is a listener. */
  private observed(
    handle: (message: Message) => Awaitable<Outcome>,
  ): (message: Message) => Awaitable<Outcome> {
    const { operations } = this.parts;
    return (message) => {
      if (!operations.isObserved) return handle(message);
      const control = operations.begin(message);
      if (control === null) return handle(message);
      return mapAwaitable(
        control.within(() => handle(message)),
        (outcome) => {
          if (outcome.kind !== "done") control.fail(outcome.error);
          control.end({ "messaging.outcome": outcome.kind });
          return outcome;
        },
      );
    };
  }

  private prepare(entry: Entry): { readonly waitMs: number } {
    const { clock, spec } = this.parts;
    const { delivery } = entry;
    entry.tries = triesBefore(delivery, numberIn(delivery.headers, TRIES) ?? 0, spec.retry);
    const notBefore = numberIn(delivery.headers, NOT_BEFORE);
    return { waitMs: notBefore === null ? 0 : Math.max(0, notBefore - clock.date()) };
  }

  private attempt(entries: readonly Entry[]): Awaitable<Outcomes> {
    const [first] = entries;
    if (this.spec.handler.kind === "batch") return this.attemptBatch(entries);
    if (first === undefined) return [];
    return this.attemptOne(first);
  }

  private attemptOne(entry: Entry): Awaitable<Outcome> {
    const opened = this.open(entry);
    if (isPromise(opened)) return opened.then((settled) => this.handleOpened(entry, settled));
    return this.handleOpened(entry, opened);
  }

  private handleOpened(entry: Entry, opened: Opened): Awaitable<Outcome> {
    if ("outcome" in opened) return opened.outcome;
    if (this.parts.inbox !== null) this.entries.set(opened.message, entry);
    return this.handle(opened.message);
  }

  private open(entry: Entry): Awaitable<Opened> {
    const { spec, brokerName, clock, maxMessageBytes, maxHeaderBytes } = this.parts;
    return openMessage(entry, {
      spec,
      broker: brokerName,
      date: clock.date,
      maxMessageBytes,
      maxHeaderBytes,
    });
  }

  private async attemptBatch(entries: readonly Entry[]): Promise<readonly Outcome[]> {
    const opened = await Promise.all(entries.map(async (entry) => await this.open(entry)));
    const messages = opened.flatMap((each) => ("message" in each ? [each.message] : []));
    const outcomes = (await runBatch(this.spec, this.parts.state, messages)).values();
    return opened.map((each) => ("outcome" in each ? each.outcome : (outcomes.next().value ?? missing)));
  }

  private async postpone(entry: Entry, tier: number, signal: AbortSignal): Promise<void> {
    const { spec, sender, clock, log } = this.parts;
    const { delivery, tries } = entry;
    const delayMs = spec.retry.delaysMs[tier] ?? 0;
    const topic = retryTopic(mainTopic(delivery.topic, spec.group), spec.group, tier);
    const details = { id: idOf(entry), tries, notBefore: clock.date() + delayMs, group: spec.group };
    await this.confirmed(postponed(topic, delivery, details), { signal, clock, log, sender });
  }

  /** Returns whether the delivery was settled too. */
  private async bury(entry: Entry, error: unknown, signal: AbortSignal): Promise<boolean> {
    const { spec, park, deadLetterTopic, sender, clock, log } = this.parts;
    const { delivery, tries, firstAt } = entry;
    const lastAt = clock.date();
    const dead: Dead = {
      topic: mainTopic(delivery.topic, spec.group),
      delivery,
      id: idOf(entry),
      group: spec.group,
      error,
      tries,
      firstAt: firstAt ?? lastAt,
      lastAt,
    };
    void this.answerFailure(entry, error);
    if (park === null) {
      await this.confirmed(deadLetter(deadLetterTopic, dead), { signal, clock, log, sender });
      await this.forget(entry);
      return false;
    }
    const settleIn = this.consumer.settleIn?.bind(this.consumer);
    const together = settleIn === undefined ? null : (tx: Transaction) => settleIn(tx, entry.delivery);
    await untilDone(() => park(dead, together), { signal, clock, log, what: "a dead letter" });
    await this.forget(entry);
    return together !== null;
  }

  /** Has a dead letter that is sent again count its tries anew. */
  private async forget({ event, delivery }: Entry): Promise<void> {
    const { inbox, spec, brokerName, log } = this.parts;
    if (inbox === null || event === null) return;
    const place = { broker: brokerName, topic: mainTopic(delivery.topic, spec.group), group: spec.group };
    await inbox
      .forget(inboxKey(event, place))
      .catch((error: unknown) =>
        log.warn("messaging: the tries of a dead letter stay counted in the inbox", { error }),
      );
  }

  /** Tells a sender that waits for a reply that there will be none. */
  private async answerFailure({ event }: Entry, error: unknown): Promise<void> {
    if (event === null || replyTopic(event) === null) return;
    const { replies, log } = this.parts;
    const code = failureOf(error).code ?? "failed";
    await sendReply(replies, event, null, code).catch((failure: unknown) =>
      log.warn("messaging: a failure was not answered", { error: failure }),
    );
  }

  /** Sends until the broker confirms: the delivery is settled only then. */
  private async confirmed(
    message: OutgoingMessage,
    { sender, ...rest }: { signal: AbortSignal; clock: Clock; log: Logger; sender: Sender },
  ): Promise<void> {
    const send = async (): Promise<void> => {
      const [result] = await sender.sendNow([message]);
      if (result?.ok !== true) throw result?.error ?? new Error("the broker gave no result");
    };
    await untilDone(send, { ...rest, what: `a message to ${message.topic}` });
  }
}

/** The inbox knows the attempts of all processes. */
const countedAs = (entry: Entry | null, message: Message, attempts: number): void => {
  if (entry !== null) {
    const { tries, headers } = entry.delivery;
    entry.tries = Math.max(attempts - 1, tries ?? numberIn(headers, TRIES) ?? 0);
  }
  if (message instanceof IncomingMessage) message.attempt = attempts;
};

const missing: Outcome = { kind: "retry", error: new Error("the batch has no outcome"), delayMs: null };

/** Deliveries of a log are cheap to hold; others count for the broker. */
const LOG_PREFETCH = 1000;

const prefetchOf = ({ spec, capabilities }: SubscriptionParts): number => {
  if (spec.prefetch !== null) return spec.prefetch;
  if (capabilities.settlement === "cumulative") return LOG_PREFETCH;
  const most = spec.rate === null ? Infinity : mostHeld(spec.rate, spec.batch.size);
  return Math.min(Math.max(2 * spec.concurrency, 2 * spec.batch.size), most);
};

const rateOf = (parts: SubscriptionParts): ((due: () => void) => RateGate) | null => {
  const { spec, brokerName, permits, clock, log } = parts;
  const { rate, topic, group } = spec;
  if (rate === null) return null;
  const name = `${brokerName} ${String(topic)} ${group}`;
  return (due) => new RateGate({ rate, name, permits, clock, log, due });
};

const topicsOf = ({ spec, capabilities }: SubscriptionParts): readonly string[] => {
  if (typeof spec.topic !== "string") return [];
  const { topic, group } = spec;
  const isNeeded = capabilities.retryTopics && spec.order === "none";
  return [topic, ...(isNeeded ? spec.retry.delaysMs.map((_, tier) => retryTopic(topic, group, tier)) : [])];
};

/** The id of the event, or of the place of a delivery that has none. */
const idOf = ({ event, delivery }: Entry): string =>
  event?.id ?? `${delivery.topic}-${delivery.partition ?? ""}-${delivery.offset ?? ""}`;
