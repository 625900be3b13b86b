import type { Delivery, WireHeaders } from "@framework/messaging/adapter";
import type { KafkaMessage } from "kafkajs";
import { OriginalFields, textFields } from "./original-fields.ts";

/** One uninterrupted assignment of a partition to this process, which may last several generations. A settlement is valid only within the assignment of its delivery. */
export interface Assignment {
  readonly topic: string;
  readonly partition: number;
  /** Topic and partition: `books-0`. */
  readonly name: string;
}

/** A delivered message of a partition. */
export class KafkaDelivery implements Delivery {
  readonly assignment: Assignment;
  readonly offset: string;
  readonly key: string | null;
  readonly headers: WireHeaders;
  readonly body: Uint8Array;
  readonly original: OriginalFields | undefined;
  readonly tries = null;
  readonly deliveries = null;
  readonly isRedelivered: boolean;
  readonly sentAt: number;

  constructor(assignment: Assignment, message: KafkaMessage, isRedelivered: boolean) {
    this.assignment = assignment;
    this.offset = message.offset;
    const { key, headers, isPartial } = textFields(message);
    this.key = key;
    this.headers = headers;
    this.body = message.value ?? new Uint8Array();
    this.original = isPartial ? new OriginalFields(message, headers) : undefined;
    this.isRedelivered = isRedelivered;
    this.sentAt = Number(message.timestamp);
  }

  /** Partition, offset and timestamp. The timestamp distinguishes messages of a recreated topic, whose offsets restart, for the inbox. */
  get id(): string {
    return `${this.assignment.name}/${this.offset}/${this.sentAt}`;
  }

  get topic(): string {
    return this.assignment.topic;
  }

  get partition(): string {
    return this.assignment.name;
  }
}
