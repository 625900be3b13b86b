import type { Delivery, WireHeaders } from "@framework/messaging/adapter";
import type { KafkaMessage } from "kafkajs";
import { OriginalFields, textFields } from "./original-fields.ts";

/** The time in which this process holds a partition without a break. A settlement counts only in the tenure of its delivery. */
export interface Tenure {
  readonly topic: string;
  readonly partition: number;
  /** Unique over topics: `books-0`. */
  readonly name: string;
}

/** A message of a partition. */
export class KafkaDelivery implements Delivery {
  readonly tenure: Tenure;
  readonly offset: string;
  readonly key: string | null;
  readonly headers: WireHeaders;
  readonly body: Uint8Array;
  readonly original: OriginalFields | undefined;
  readonly tries = null;
  readonly deliveries = null;
  readonly isRedelivered: boolean;
  readonly sentAt: number;

  constructor(tenure: Tenure, message: KafkaMessage, isRedelivered: boolean) {
    this.tenure = tenure;
    this.offset = message.offset;
    const { key, headers, isPartial } = textFields(message);
    this.key = key;
    this.headers = headers;
    this.body = message.value ?? new Uint8Array();
    this.original = isPartial ? new OriginalFields(message, headers) : undefined;
    this.isRedelivered = isRedelivered;
    this.sentAt = Number(message.timestamp);
  }

  /** Its place, with its time: the offsets of a topic that was created again begin anew, and an inbox must not take its messages for those of the old one. */
  get id(): string {
    return `${this.tenure.name}/${this.offset}/${this.sentAt}`;
  }

  get topic(): string {
    return this.tenure.topic;
  }

  get partition(): string {
    return this.tenure.name;
  }
}
