import type { WorkItem } from "@framework/durable/feature";
import type { Delivery, WireHeaders } from "../port/delivery.ts";
import { fromRow } from "./stored-message.ts";

/** A message that a queue handed over: its handler's promise stays open until it is settled. */
export class DatabaseDelivery implements Delivery {
  readonly topic: string;
  readonly partition = null;
  readonly offset = null;
  readonly tries = null;
  readonly key: string | null;
  readonly headers: WireHeaders;
  readonly body: string | Uint8Array;
  readonly item: WorkItem<unknown>;
  /** Ends the handler's promise: `null` for done. */
  readonly end: (error: Error | null) => void;

  constructor(topic: string, item: WorkItem<unknown>, end: (error: Error | null) => void) {
    const { key, headers, body } = fromRow(item.payloadText, item.headers);
    this.topic = topic;
    this.item = item;
    this.end = end;
    this.key = key;
    this.headers = headers;
    this.body = body;
  }

  get deliveries(): number {
    return this.item.attempt;
  }

  get isRedelivered(): boolean {
    return this.item.attempt > 1;
  }

  get sentAt(): number {
    return this.item.createdAt;
  }
}
