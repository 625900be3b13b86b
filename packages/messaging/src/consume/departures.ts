import { type Clock } from "@framework/core/feature";
import type { Logger } from "@framework/core";
import type { Transaction } from "@framework/database";
import { failureOf } from "@framework/durable/feature";
import { type Dead, deadLetter, postponed } from "../dead-letter/dead-letters.ts";
import { inboxKey } from "../inbox/inbox-attempts.ts";
import type { Consumer } from "../port/broker-adapter.ts";
import type { OutgoingMessage } from "../port/delivery.ts";
import { answer } from "../request/replies.ts";
import type { Sender } from "../send/sender.ts";
import type { Entry } from "./entry.ts";
import { mainTopic } from "./retry-topics.ts";
import type { Postponement } from "./flow-parts.ts";
import type { SubscriptionParts } from "./subscription-parts.ts";
import { untilAborted } from "../waiting/until-aborted.ts";
import { untilDone } from "./until-done.ts";

/** Stores messages elsewhere that this process does not try again: as a delayed try at the broker, or as a dead letter. */
export class Departures {
  private readonly parts: SubscriptionParts;
  private readonly consumer: () => Consumer;

  constructor(parts: SubscriptionParts, consumer: () => Consumer) {
    this.parts = parts;
    this.consumer = consumer;
  }

  /** Sends an entry to the topic of its next try; resolves when it is there. */
  async postpone(entry: Entry, { topic, delayMs }: Postponement, signal: AbortSignal): Promise<void> {
    const { spec, sender, clock, log } = this.parts;
    const { delivery, tries } = entry;
    const details = { id: this.idOf(entry), tries, notBefore: clock.date() + delayMs, group: spec.group };
    await this.confirmed(postponed(topic, delivery, details), { signal, clock, log, sender });
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
    const { park, deadLetterTopic, sender, clock, log } = this.parts;
    if (park === null) {
      await this.confirmed(deadLetter(deadLetterTopic, dead), { signal, clock, log, sender });
      return false;
    }
    const consumer = this.consumer();
    const settleIn = consumer.settleIn?.bind(consumer);
    const together = settleIn === undefined ? null : (tx: Transaction) => settleIn(tx, delivery);
    await untilDone(() => park(dead, together), { signal, clock, log, what: "a dead letter" });
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

  /** The id of the event; of a delivery that is none, the broker's, its place in a log, or a new one: an inbox drops what has the id of another message. */
  private idOf({ event, delivery }: Entry): string {
    const { topic, partition, offset } = delivery;
    if (event !== null) return event.id;
    if (delivery.id !== undefined) return delivery.id;
    return offset === null ? this.parts.replies.newId() : `${topic}-${partition ?? ""}-${offset}`;
  }
}
