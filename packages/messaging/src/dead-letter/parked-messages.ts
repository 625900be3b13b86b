import type { Transaction } from "@framework/database";
import { failureOf, type Kernel } from "@framework/durable/feature";
import { isEvent } from "../envelope/decode.ts";
import { GROUP, RAW_ID } from "../envelope/own-headers.ts";
import { newHeaders } from "../envelope/event.ts";
import { MAX_ATTRIBUTE } from "../limits.ts";
import type { OutgoingMessage } from "../port/delivery.ts";
import { type DeadDelivery, headersForDeadLetter } from "./dead-letters.ts";

/** Name of the source of parked messages. */
const SOURCE = "message";

/** The exact body of a parked message. */
type ParkedBody = { readonly text: string } | { readonly base64: string };

/** Data of a parked message for its replay. */
interface Detail {
  readonly broker: string;
  readonly topic: string;
  readonly group: string;
  readonly id: string;
  /** The exact key, if the key column has a changed one. */
  readonly key?: string;
}

/** Sends a message again, in the transaction if the broker supports that. */
export type SendAgain = (tx: Transaction, broker: string, message: OutgoingMessage) => Promise<void>;

/** Stores dead letters in the parked work of the app's database, where operators list, inspect, replay and discard them. */
export class ParkedMessages {
  private readonly kernel: Kernel;
  private readonly sendAgain: SendAgain;
  private hasSource = false;

  constructor(kernel: Kernel, sendAgain: SendAgain) {
    this.kernel = kernel;
    this.sendAgain = sendAgain;
  }

  /** Whether messages can be parked. */
  get isUsed(): boolean {
    return this.hasSource;
  }

  /** Registers the source. Call it before the start. */
  use(): void {
    if (this.hasSource) return;
    this.hasSource = true;
    this.kernel.use("parked messages").parked.add({
      source: SOURCE,
      replay: (tx, { payload, headers, key, detail }) => {
        const { broker, topic, group, id, key: exactKey = key } = detail as Detail;
        const copy = Object.assign(newHeaders(), headers, { [GROUP]: group });
        if (!isEvent(copy)) copy[RAW_ID] = id;
        return this.sendAgain(tx, broker, {
          topic,
          id,
          key: exactKey,
          headers: copy,
          body: bodyIn(payload as ParkedBody),
          delayMs: 0,
        });
      },
    });
  }

  /** Parks a dead letter. @param settleIn settles its delivery in the same transaction */
  async park(
    dead: DeadDelivery,
    broker: string,
    settleIn: ((tx: Transaction) => Promise<void>) | null,
  ): Promise<void> {
    const { parked, transaction } = this.kernel;
    if (!(await parked.checkRoom())) throw new Error("the parked work is full");
    const { delivery, topic, group, id, error, tries, firstAt } = dead;
    const { key: exactKey } = delivery;
    const key = exactKey === null ? null : storableKey(exactKey);
    const detail: Detail = {
      broker,
      topic,
      group,
      id,
      ...(exactKey !== null && exactKey !== key && { key: exactKey }),
    };
    await transaction(async (tx) => {
      await parked.park(tx, {
        source: SOURCE,
        name: `${topic} ${group}`,
        key,
        payload: JSON.stringify(bodyOf(delivery.body)),
        headers: JSON.stringify(headersForDeadLetter(delivery)),
        detail: JSON.stringify(detail),
        failure: failureOf(error),
        attempts: tries,
        firstAt,
      });
      await settleIn?.(tx);
    });
  }
}

/** Returns a key as text that every database can store and index. Keys of Kafka can be any bytes: its Java clients write integers as four bytes. */
const storableKey = (key: string): string =>
  key.slice(0, MAX_ATTRIBUTE).replaceAll("\0", "\uFFFD").toWellFormed();

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }); // keeps a byte order mark

const bodyOf = (body: string | Uint8Array): ParkedBody => {
  if (typeof body === "string") return { text: body };
  try {
    return { text: decoder.decode(body) };
  } catch {
    return { base64: Buffer.from(body).toString("base64") };
  }
};

const bodyIn = (body: ParkedBody): string | Uint8Array =>
  "text" in body ? body.text : new Uint8Array(Buffer.from(body.base64, "base64"));
