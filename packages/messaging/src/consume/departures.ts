import type { Transaction } from "@framework/database";
import { failureOf } from "@framework/durable/feature";
import {
  type Dead,
  deadLetter,
  postponed,
  withoutBody,
  withoutHeaders,
} from "../dead-letter/dead-letters.ts";
import { inboxKey } from "../inbox/inbox-attempts.ts";
import type { Consumer } from "../port/broker-adapter.ts";
import type { Delivery, OutgoingMessage } from "../port/delivery.ts";
import { answer } from "../request/replies.ts";
import type { Entry } from "./entry.ts";
import { mainTopic } from "./retry-topics.ts";
import type { Postponement } from "./flow-parts.ts";
import type { SubscriptionParts } from "./subscription-parts.ts";
import type { Troubles } from "../waiting/troubles.ts";
import { untilAborted } from "../waiting/until-aborted.ts";
import { untilDone } from "./until-done.ts";

/** Refusals of a message by the broker after which another way is taken. */
const MAX_REFUSALS = 3;

/** Stores messages elsewhere that this process does not try again: as a delayed try at the broker, or as a dead letter. */
export class Departures {
  private readonly parts: SubscriptionParts;
  private readonly consumer: () => Consumer;
  private readonly troubles: Troubles;

  constructor(parts: SubscriptionParts, consumer: () => Consumer, troubles: Troubles) {
    this.parts = parts;
    this.consumer = consumer;
    this.troubles = troubles;
  }

  /** Sends an entry to the topic of its next try; resolves when it is there, with `false` when the broker refuses it for good. */
  async postpone(entry: Entry, { topic, delayMs }: Postponement, signal: AbortSignal): Promise<boolean> {
    const { spec, clock, log } = this.parts;
    const { delivery, tries } = entry;
    const details = { id: this.idOf(entry), tries, notBefore: clock.date() + delayMs, group: spec.group };
    const message = postponed(topic, delivery, details);
    const refused = await this.stored(message, signal, async () => false);
    if (refused === undefined) return true;
    log.warn("messaging: the broker refuses a delayed try, which this process holds until then", {
      ...placeOf(delivery),
      id: details.id,
    });
    return false;
  }

  /** Stores a dead letter; returns whether its delivery was settled too. */
  async bury(entry: Entry, error: unknown, signal: AbortSignal): Promise<boolean> {
    const { spec, clock, replies } = this.parts;
    const { delivery, event, tries, firstAt } = entry;
    const lastAt = clock.date();
    const dead: Dead = {
      topic: mainTopic(delivery.topic, spec.group),
      delivery,
      id: this.idOf(entry),
      group: spec.group,
      error,
      tries,
      firstAt: firstAt ?? lastAt,
      lastAt,
    };
    const answered = event === null ? null : answer(replies, event, null, failureOf(error).code ?? "failed");
    const isSettled = await this.store(dead, entry, signal);
    await this.forget(entry);
    if (answered !== null) await untilAborted(answered, signal).catch(() => {}); // the message is stored, whether its sender learns of it or not
    return isSettled;
  }

  /** Returns whether the delivery was settled too. */
  private async store(dead: Dead, { delivery }: Entry, signal: AbortSignal): Promise<boolean> {
    const { park, deadLetterTopic, clock, log } = this.parts;
    if (park === null) {
      const letter = deadLetter(deadLetterTopic, dead);
      await this.stored(letter, signal, (refusal) => this.storeReduced(letter, dead, refusal));
      return false;
    }
    const consumer = this.consumer();
    const settleIn = consumer.settleIn?.bind(consumer);
    const together = settleIn === undefined ? null : (tx: Transaction) => settleIn(tx, delivery);
    const { troubles } = this;
    await untilDone(() => park(dead, together), { signal, clock, log, troubles, what: "a dead letter" });
    return together !== null;
  }

  /**
   * Stores what the broker takes of a dead letter that it refuses for good: the message would hold up its group for ever. One that is refused as short as it can be
   * has a topic that is not as it must be, and is tried again.
   */
  private async storeReduced(letter: OutgoingMessage, dead: Dead, refusal: Error): Promise<void> {
    const { parkRefused, log } = this.parts;
    const stored = (how: string): void =>
      log.error(`messaging: the broker refuses a dead letter, which is stored ${how}`, {
        ...placeOf(dead.delivery),
        id: dead.id,
        deadLetterTopic: letter.topic,
        error: refusal,
      });
    const small = withoutHeaders(letter, dead.delivery);
    if ((await this.refusalOf(small)) === null) return stored("without the headers of its message");
    if (parkRefused !== null) {
      await parkRefused(dead, null);
      return stored("in the parked work of the database");
    }
    const least = await this.refusalOf(withoutBody(small));
    if (least !== null) throw least;
    stored("without headers and with the beginning of its body");
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

  /** Sends until the broker confirms: the delivery is settled only then. @param refused called when the broker refuses the message for good; throws to try again */
  private async stored<T>(
    message: OutgoingMessage,
    signal: AbortSignal,
    refused: (refusal: Error) => Promise<T>,
  ): Promise<T | undefined> {
    const { clock, log } = this.parts;
    let refusals = 0;
    const send = async (): Promise<T | undefined> => {
      const refusal = await this.refusalOf(message);
      if (refusal === null) return undefined;
      if (++refusals < MAX_REFUSALS) throw refusal;
      return await refused(refusal);
    };
    const what = `a message to ${message.topic}`;
    return await untilDone(send, { signal, clock, log, troubles: this.troubles, what });
  }

  /** Sends a message; returns why the broker would refuse it again, `null` when it has it. @throws when it may take it later */
  private async refusalOf(message: OutgoingMessage): Promise<Error | null> {
    const [result] = await this.parts.sender.sendNow([message]);
    if (result?.ok === true) return null;
    if (result?.isRetryable === false) return result.error;
    throw result?.error ?? new Error("the broker gave no result");
  }

  /** The id of the event; of a delivery that is none, the broker's, its place in a log, or a new one: an inbox drops what has the id of another message. */
  private idOf({ event, delivery }: Entry): string {
    const { topic, partition, offset } = delivery;
    if (event !== null) return event.id;
    if (delivery.id !== undefined) return delivery.id;
    return offset === null ? this.parts.replies.newId() : `${topic}-${partition ?? ""}-${offset}`;
  }
}

/** Where operators find a message. */
const placeOf = ({ topic, partition, offset }: Delivery): Readonly<Record<string, string | null>> => ({
  topic,
  partition,
  offset,
});
