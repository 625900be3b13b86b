import type { Transaction } from "@framework/database";
import { failureOf } from "@framework/durable/feature";
import {
  type DeadDelivery,
  deadLetter,
  postponedMessage,
  withTruncatedBody,
  withoutHeaders,
} from "../dead-letter/dead-letters.ts";
import { isEvent } from "../envelope/decode.ts";
import { inboxKey } from "../inbox/inbox-attempts.ts";
import type { Consumer } from "../port/broker-adapter.ts";
import type { Delivery, OutgoingMessage } from "../port/delivery.ts";
import { sendReplyTo } from "../request/replies.ts";
import type { Entry } from "./entry.ts";
import { mainTopic } from "./retry-topics.ts";
import type { Postponement } from "./flow-parts.ts";
import type { SubscriptionParts } from "./subscription-parts.ts";
import type { OngoingFailures } from "../waiting/ongoing-failures.ts";
import { untilAborted } from "../waiting/until-aborted.ts";
import { untilDone } from "./until-done.ts";

/** Number of permanent refusals by the broker after which a fallback is used. */
const MAX_REFUSALS = 3;

/** Sends messages to retry topics, and stores dead letters. */
export class Forwarder {
  private readonly parts: SubscriptionParts;
  private readonly consumer: () => Consumer;
  private readonly failures: OngoingFailures;

  constructor(parts: SubscriptionParts, consumer: () => Consumer, failures: OngoingFailures) {
    this.parts = parts;
    this.consumer = consumer;
    this.failures = failures;
  }

  /** Sends an entry to the topic of its next try. Resolves with `true` when the broker has stored it, with `false` when the broker refuses it permanently. */
  async postpone(entry: Entry, { topic, delayMs }: Postponement, signal: AbortSignal): Promise<boolean> {
    const { spec, clock, log } = this.parts;
    const { delivery, tries, event } = entry;
    const details = {
      id: this.idOf(entry),
      isEvent: event === null || isEvent(delivery.headers),
      tries,
      notBefore: Math.ceil(clock.date() + delayMs),
      group: spec.group,
    };
    const message = postponedMessage(topic, delivery, details);
    const result = await this.sendUntilStored(message, signal, async () => false);
    if (result === undefined) return true;
    log.warn(
      "messaging: the broker refused a message to a retry topic; this process holds it until its next try",
      {
        ...positionOf(delivery),
        id: details.id,
      },
    );
    return false;
  }

  /** Stores a dead letter. Returns whether its delivery was settled in the same transaction. */
  async deadLetter(entry: Entry, error: unknown, signal: AbortSignal): Promise<boolean> {
    const { spec, clock, replies } = this.parts;
    const { delivery, event, tries, firstAt } = entry;
    const lastAt = clock.date();
    const dead: DeadDelivery = {
      topic: mainTopic(delivery.topic, spec.group),
      delivery,
      id: this.idOf(entry),
      group: spec.group,
      error,
      tries,
      firstAt: firstAt ?? lastAt,
      lastAt,
    };
    const replied =
      event === null ? null : sendReplyTo(replies, event, null, failureOf(error).code ?? "failed");
    const isSettled = await this.store(dead, entry, signal);
    await this.forget(entry);
    if (replied !== null) await untilAborted(replied, signal).catch(() => {}); // the dead letter is stored even if the reply fails
    return isSettled;
  }

  /** Returns whether the delivery was settled in the same transaction. */
  private async store(dead: DeadDelivery, { delivery }: Entry, signal: AbortSignal): Promise<boolean> {
    const { park, deadLetterTopic, clock, log } = this.parts;
    if (park === null) {
      const message = deadLetter(deadLetterTopic, dead);
      await this.sendUntilStored(message, signal, (refusal) => this.storeReduced(message, dead, refusal));
      return false;
    }
    const consumer = this.consumer();
    const settleIn = consumer.settleIn?.bind(consumer);
    const settleTogether = settleIn === undefined ? null : (tx: Transaction) => settleIn(tx, delivery);
    const { failures } = this;
    await untilDone(() => park(dead, settleTogether), {
      signal,
      clock,
      log,
      failures,
      subject: "a dead letter",
    });
    return settleTogether !== null;
  }

  /**
   * Stores a reduced dead letter after the broker has permanently refused the complete one; otherwise the message would block its group forever.
   *
   * @throws if the dead letter cannot be stored now, or if the broker refuses even its smallest form, because the topic itself is faulty; the caller tries again
   */
  private async storeReduced(message: OutgoingMessage, dead: DeadDelivery, refusal: Error): Promise<void> {
    const { parkRefused, log } = this.parts;
    const logStored = (how: string): void =>
      log.error(`messaging: the broker refused a dead letter; it is stored ${how}`, {
        ...positionOf(dead.delivery),
        id: dead.id,
        deadLetterTopic: message.topic,
        error: refusal,
      });
    const small = withoutHeaders(message, dead.delivery);
    if ((await this.refusalOf(small)) === null) return logStored("without the message's headers");
    if (parkRefused !== null) {
      await parkRefused(dead, null);
      return logStored("in the parked work");
    }
    const lastRefusal = await this.refusalOf(withTruncatedBody(small));
    if (lastRefusal !== null) throw lastRefusal;
    logStored("without headers and with a truncated body");
  }

  /** Resets the tries in the inbox, so that a replayed dead letter has all its tries again. */
  private async forget({ event, delivery }: Entry): Promise<void> {
    const { inbox, spec, brokerName, log } = this.parts;
    if (inbox === null || event === null) return;
    const consumer = { broker: brokerName, topic: mainTopic(delivery.topic, spec.group), group: spec.group };
    await inbox
      .forget(inboxKey(event, consumer))
      .catch((error: unknown) =>
        log.warn("messaging: the inbox did not reset the tries of a dead letter", { error }),
      );
  }

  /**
   * Sends a message until the broker confirms it; only then may its delivery be settled.
   *
   * @param onRefused called when the broker refuses the message permanently; throws to try again
   */
  private async sendUntilStored<T>(
    message: OutgoingMessage,
    signal: AbortSignal,
    onRefused: (refusal: Error) => Promise<T>,
  ): Promise<T | undefined> {
    const { clock, log } = this.parts;
    let refusals = 0;
    const send = async (): Promise<T | undefined> => {
      const refusal = await this.refusalOf(message);
      if (refusal === null) return undefined;
      if (++refusals < MAX_REFUSALS) throw refusal;
      return await onRefused(refusal);
    };
    const subject = `a message to ${message.topic}`;
    return await untilDone(send, { signal, clock, log, failures: this.failures, subject });
  }

  /** Sends a message. Returns the error of a permanent refusal, `null` when the broker has confirmed it. @throws when a later send may succeed */
  private async refusalOf(message: OutgoingMessage): Promise<Error | null> {
    const [result] = await this.parts.sender.sendNow([message]);
    if (result?.ok === true) return null;
    if (result?.isRetryable === false) return result.error;
    throw result?.error ?? new Error("the broker returned no result");
  }

  /** Returns the id of the event; if the delivery could not be decoded, the broker's id, its position in a log, or a new one. Unique, because an inbox drops messages with a known id. */
  private idOf({ event, delivery }: Entry): string {
    const { topic, partition, offset } = delivery;
    if (event !== null) return event.id;
    if (delivery.id !== undefined) return delivery.id;
    return offset === null ? this.parts.replies.newId() : `${topic}-${partition ?? ""}-${offset}`;
  }
}

/** Returns the position of a message at the broker, for operators. */
const positionOf = ({ topic, partition, offset }: Delivery): Readonly<Record<string, string | null>> => ({
  topic,
  partition,
  offset,
});
