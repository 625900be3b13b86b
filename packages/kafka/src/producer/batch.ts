import type { Message } from "kafkajs";
import type { OutgoingMessage } from "@framework/messaging/adapter";
import { OriginalFields } from "../consumer/original-fields.ts";

/** A message for kafkajs. Its partition is chosen once, so that a retry sends the same batch. */
export interface BatchRecord extends Message {
  readonly batch: Batch;
  chosenPartition: number | null;
}

/** Messages that are sent together, as one record batch for each partition. */
export class Batch {
  readonly records: readonly BatchRecord[];
  /** The last error that was retried; `null` for none. */
  lastError: unknown = null;
  private cancelled: Error | null = null;

  constructor(messages: readonly OutgoingMessage[]) {
    this.records = messages.map((message) => this.toRecord(message));
  }

  /** Prevents further sends by kafkajs. */
  cancel(reason: Error): void {
    this.cancelled ??= reason;
  }

  /** Reason of the cancellation; `null` if the batch was not cancelled. */
  get reason(): Error | null {
    return this.cancelled;
  }

  private toRecord(message: OutgoingMessage): BatchRecord {
    const { body, original } = message;
    const { key, headers } = original instanceof OriginalFields ? original.fieldsForCopy(message) : message;
    const value =
      typeof body === "string" ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    return { key, headers, value, batch: this, chosenPartition: null };
  }
}
