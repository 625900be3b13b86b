import { type Delivery, newHeaders, type WireHeaders } from "@framework/messaging/adapter";
import type { KafkaMessage } from "kafkajs";

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
  readonly tries = null;
  readonly deliveries = null;
  readonly isRedelivered: boolean;
  readonly sentAt: number;

  constructor(tenure: Tenure, message: KafkaMessage, isRedelivered: boolean) {
    this.tenure = tenure;
    this.offset = message.offset;
    this.key = message.key === null ? null : message.key.toString();
    this.headers = headersOf(message);
    this.body = message.value ?? new Uint8Array();
    this.isRedelivered = isRedelivered;
    this.sentAt = Number(message.timestamp);
  }

  get topic(): string {
    return this.tenure.topic;
  }

  get partition(): string {
    return this.tenure.name;
  }
}

/** Headers as text; of several with one name the last. */
const headersOf = ({ headers = {} }: KafkaMessage): WireHeaders => {
  const found = newHeaders();
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    const last = Array.isArray(value) ? value.at(-1) : value;
    if (last !== undefined && last !== null) found[name.toLowerCase()] = last.toString();
  }
  return found;
};
