import type { WorkItem } from "@framework/durable/feature";
import type { Delivery, WireHeaders } from "../port/delivery.ts";
import { fromRow } from "./stored-message.ts";

/** A message of a work queue. Its attempt stays open until it is settled. */
export class DatabaseDelivery implements Delivery {
  readonly topic: string;
  readonly partition = null;
  readonly offset = null;
  readonly tries = null;
  readonly key: string | null;
  readonly headers: WireHeaders;
  readonly body: string | Uint8Array;
  readonly item: WorkItem<unknown>;

  constructor(topic: string, item: WorkItem<unknown>) {
    const { key, headers, body } = fromRow(item.payloadText, item.headers);
    this.topic = topic;
    this.item = item;
    this.key = key;
    this.headers = headers;
    this.body = body;
  }

  get id(): string {
    return this.item.id;
  }

  /** Ends the attempt; `null` for success. */
  end(error: Error | null): void {
    this.item.end(error);
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
