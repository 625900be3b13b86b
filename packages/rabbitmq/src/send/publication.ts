import type { OutgoingMessage } from "@framework/messaging/adapter";
import type { Options } from "amqplib";
import type { DelayedTo } from "../topology/delay-queues.ts";
import { toWire } from "./wire-headers.ts";

/** A message as it is published. */
export interface Publication {
  readonly to: DelayedTo;
  readonly delayMs: number;
  readonly content: Buffer;
  readonly options: Options.Publish;
}

/** @param date milliseconds since 1970 @param tries made before, for a copy that is tried again */
export const publicationOf = (
  message: OutgoingMessage,
  to: DelayedTo,
  { date, tries }: { readonly date: number; readonly tries: number },
): Publication => ({
  to,
  delayMs: message.delayMs,
  content: bytesOf(message.body),
  options: {
    persistent: true,
    mandatory: true, // returned rather than dropped when no queue takes it
    messageId: message.id,
    contentType: message.headers["content-type"] ?? "application/octet-stream",
    timestamp: Math.trunc(date / 1000),
    headers: toWire(message, tries),
  },
});

const bytesOf = (body: string | Uint8Array): Buffer =>
  typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
