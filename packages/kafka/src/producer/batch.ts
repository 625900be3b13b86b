import type { Message } from "kafkajs";
import type { OutgoingMessage } from "@framework/messaging/adapter";
import { OriginalFields } from "../consumer/original-fields.ts";

/** A message as the driver sends it. Its partition is chosen once, so that a batch that is sent again is the same batch. */
export interface BatchRecord extends Message {
  readonly batch: Batch;
  chosen: number | null;
}

/** Messages that are sent in one request for each partition. */
export class Batch {
  readonly records: readonly BatchRecord[];
  /** Why it is sent again; `null` before a failure. */
  lastError: unknown = null;
  private cancelled: Error | null = null;

  constructor(messages: readonly OutgoingMessage[]) {
    this.records = messages.map((message) => this.toRecord(message));
  }

  /** Makes the driver send nothing of it any more. */
  cancel(reason: Error): void {
    this.cancelled ??= reason;
  }

  /** Why the driver must not send it; `null` while it may. */
  get reason(): Error | null {
    return this.cancelled;
  }

  private toRecord(message: OutgoingMessage): BatchRecord {
    const { body, original } = message;
    const { key, headers } = original instanceof OriginalFields ? original.copiedTo(message) : message;
    const value =
      typeof body === "string" ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    return { key, headers, value, batch: this, chosen: null };
  }
}
