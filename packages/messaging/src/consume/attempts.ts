import { type Awaitable } from "@framework/core";
import { isPromise, mapAwaitable } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import { failureOf } from "@framework/durable/feature";
import { numberIn, TRIES } from "../envelope/own-headers.ts";
import type { DatabaseInbox, InboxTry } from "../inbox/database-inbox.ts";
import { RunningTries } from "../inbox/running-tries.ts";
import { IncomingMessage } from "../message/incoming-message.ts";
import type { Message } from "../message/message.ts";
import type { Outcome, Outcomes } from "../message/outcome.ts";
import type { Consumer } from "../port/broker-adapter.ts";
import { sendReplyTo, replyTopic } from "../request/replies.ts";
import { runBatch } from "../subscribe/run-batch.ts";
import { type InboxWork, runHandler } from "../subscribe/run-handler.ts";
import type { ConsumeCounts } from "./consume-counts.ts";
import type { Entry } from "./entry.ts";
import { openMessage, type OpenResult, type OpenMessageParts } from "./open-message.ts";
import type { SubscriptionParts } from "./subscription-parts.ts";

/** Error of the reply to a request that a batch handler handles. Without it the request would time out: a batch handler returns verdicts, not replies. */
const NO_BATCH_REPLY = "it was handled by subscribeBatch, which sends no replies";

/** Members of the subscription that `Attempts` uses. */
export interface AttemptHost {
  readonly consumer: () => Consumer;
  readonly counts: ConsumeCounts;
  /** Whether the process has abandoned its deliveries, at the end of a drain. */
  readonly hasGivenUp: () => boolean;
}

/** Makes the tries of a subscription: opens deliveries and calls the handler, with the inbox if there is one. */
export class Attempts {
  /** Running tries with an inbox. */
  readonly running: RunningTries = new RunningTries();
  private readonly parts: SubscriptionParts;
  private readonly host: AttemptHost;
  private readonly opening: OpenMessageParts;
  private readonly handle: (message: Message) => Awaitable<Outcome>;
  /** Entries of messages that are being handled, for the inbox and for replies. */
  private readonly entries = new WeakMap<Message, Entry>();

  constructor(parts: SubscriptionParts, host: AttemptHost) {
    this.parts = parts;
    this.host = host;
    const { spec, brokerName, system, clock, maxMessageBytes, maxHeaderBytes } = parts;
    this.opening = { spec, broker: brokerName, system, date: clock.date, maxMessageBytes, maxHeaderBytes };
    this.handle = this.withOperations(this.handler());
  }

  /** Makes one try with entries that are handled together. Never throws. */
  make(entries: readonly Entry[]): Awaitable<Outcomes> {
    const [first] = entries;
    if (this.parts.spec.handler.kind === "batch") return this.attemptBatch(entries);
    if (first === undefined) return [];
    return this.attemptOne(first);
  }

  private attemptOne(entry: Entry): Awaitable<Outcome> {
    const opened = this.open(entry);
    if (isPromise(opened)) return opened.then((settled) => this.handleOpened(entry, settled));
    return this.handleOpened(entry, opened);
  }

  private handleOpened(entry: Entry, opened: OpenResult): Awaitable<Outcome> {
    if ("outcome" in opened) return opened.outcome;
    if (this.parts.inbox !== null || replyTopic(opened.message) !== null)
      this.entries.set(opened.message, entry);
    return this.handle(opened.message);
  }

  private open(entry: Entry): Awaitable<OpenResult> {
    return openMessage(entry, this.opening);
  }

  private async attemptBatch(entries: readonly Entry[]): Promise<readonly Outcome[]> {
    const opened = await Promise.all(entries.map(async (entry) => await this.open(entry)));
    const messages = opened.flatMap((each) => ("message" in each ? [each.message] : []));
    const handled = await runBatch(this.parts, messages);
    for (const entry of entries) entry.isHandled = true;
    const done = messages.filter((_message, at) => handled[at]?.kind === "done");
    await Promise.all(done.map(async (message) => await this.reply(message, null, NO_BATCH_REPLY)));
    const outcomes = handled.values();
    return opened.map((each) => ("outcome" in each ? each.outcome : (outcomes.next().value ?? noOutcome)));
  }

  private handler(): (message: Message) => Awaitable<Outcome> {
    const { spec, state, middleware, log, inbox } = this.parts;
    return runHandler({
      spec,
      state,
      middleware,
      reply: (message, value) => this.reply(message, value),
      replyFailure: (message, error) => this.reply(message, null, failureOf(error).code ?? "failed"),
      log: () => log,
      inbox: inbox === null ? null : (message, work) => this.runOnce(inbox, message, work),
    });
  }

  /** Opens the delivery of a message again, for another run of the same try. */
  private async openAgain(entry: Entry, { attempt }: Message): Promise<OpenResult> {
    const opened = await this.open(entry);
    if ("message" in opened) countAttempt(opened.message, attempt);
    return opened;
  }

  private reply(message: Message, value: unknown, error: string | null = null): Awaitable<void> {
    if (replyTopic(message) === null) return;
    const sent = sendReplyTo(this.parts.replies, message, value, error);
    const entry = this.entries.get(message);
    if (entry === undefined) return sent;
    entry.isHandled = true;
    return sent.finally(() => (entry.isHandled = false)); // the rest of a middleware has the time limit of the try
  }

  /** Makes a try in the inbox. Its reply is sent after the commit: the transaction could still roll back, and the send may need the database. */
  private async runOnce(inbox: DatabaseInbox, message: Message, work: InboxWork): Promise<Outcome> {
    const returned: unknown[] = [];
    const entry = this.entries.get(message) ?? null;
    const keepReply = (value: unknown): void => void (returned[0] = value);
    let hasRun = false;
    const runAgain = async (tx: Transaction): Promise<Outcome> => {
      const opened: OpenResult = entry === null ? { message } : await this.openAgain(entry, message);
      return "outcome" in opened ? opened.outcome : await work(opened.message, tx, keepReply);
    };
    const outcome = await this.running.add(
      this.runIn(inbox, message, {
        work: (tx) => {
          if (hasRun) return runAgain(tx); // the first run may have changed the data of its message
          hasRun = true;
          return work(message, tx, keepReply);
        },
        onDuplicate: () => {
          returned.length = 0; // another try was committed
          this.host.counts.duplicates++;
        },
      }),
    );
    if (outcome.kind === "done" && returned.length > 0) await this.reply(message, returned[0]);
    return outcome;
  }

  private runIn(
    inbox: DatabaseInbox,
    message: Message,
    calls: Pick<InboxTry, "work" | "onDuplicate">,
  ): Promise<Outcome> {
    const entry = this.entries.get(message) ?? null;
    const consumer = this.host.consumer();
    const settleIn = consumer.settleIn?.bind(consumer);
    const settleTogether = async (tx: Transaction): Promise<void> => {
      if (entry === null || settleIn === undefined) return;
      await settleIn(tx, entry.delivery);
      tx.onCommit(() => void (entry.isSettled = true));
    };
    return inbox.run({
      ...calls,
      message,
      maxTries: this.parts.spec.maxTries,
      canRunAgain: entry !== null && this.parts.middleware.length === 0, // a middleware may have changed the message
      settleIn: settleIn === undefined ? null : settleTogether,
      onCounted: (attempts) => adoptCount(entry, message, attempts),
      hasGivenUp: this.host.hasGivenUp,
    });
  }

  /** Publishes each try as an operation while there is a listener. */
  private withOperations(
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
}

/**
 * Adopts the count of the inbox, which covers all processes. A higher count of the broker is kept, for example if the message was tried before the subscription had
 * the inbox; an estimate from the number of deliveries is not.
 */
const adoptCount = (entry: Entry | null, message: Message, attempts: number): void => {
  if (entry === null) return countAttempt(message, attempts);
  const { tries, deliveries, headers } = entry.delivery;
  const isEstimate = tries === null && deliveries !== null;
  entry.tries = Math.max(attempts - 1, isEstimate ? (numberIn(headers, TRIES) ?? 0) : entry.tries);
  countAttempt(message, entry.tries + 1);
};

const countAttempt = (message: Message, attempt: number): void => {
  if (message instanceof IncomingMessage) message.attempt = attempt;
};

const noOutcome: Outcome = { kind: "retry", error: new Error("the batch has no outcome"), delayMs: null };
