import type { Delivery, OutgoingMessage, WireHeaders } from "../port/delivery.ts";

/** A message of one group in memory. */
export class MemoryItem {
  readonly message: OutgoingMessage;
  /** Sequence number within the topic, in the order of sending. */
  readonly sequence: number;
  /** Items of one lane are delivered one at a time; `null` for no order. */
  readonly lane: string | null;
  readonly sentAt: number;
  tries = 0;
  deliveries = 0;
  /** Cancels the timer of its delay. */
  cancelWait: (() => void) | null = null;

  constructor(message: OutgoingMessage, sequence: number, lane: string | null, sentAt: number) {
    this.message = message;
    this.sequence = sequence;
    this.lane = lane;
    this.sentAt = sentAt;
  }
}

/** One delivery of an item. */
export class MemoryDelivery implements Delivery {
  readonly item: MemoryItem;
  readonly partition = null;
  readonly offset = null;
  readonly tries: number;
  readonly deliveries: number;

  constructor(item: MemoryItem) {
    this.item = item;
    this.tries = item.tries;
    this.deliveries = ++item.deliveries;
  }

  get id(): string {
    return this.item.message.id;
  }

  get topic(): string {
    return this.item.message.topic;
  }

  get key(): string | null {
    return this.item.message.key;
  }

  get headers(): WireHeaders {
    return this.item.message.headers;
  }

  get body(): string | Uint8Array {
    return this.item.message.body;
  }

  get isRedelivered(): boolean {
    return this.deliveries > 1;
  }

  get sentAt(): number {
    return this.item.sentAt;
  }
}
