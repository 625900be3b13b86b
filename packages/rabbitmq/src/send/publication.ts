import type { OutgoingMessage } from "@framework/messaging/adapter";
import type { Options } from "amqplib";
import type { DelayedTo } from "../topology/delay-queues.ts";
import { isShort, shortened } from "./short-string.ts";
import { toWire } from "./wire-headers.ts";

/** A message as it is published. */
export interface Publication {
  readonly to: DelayedTo;
  readonly delayMs: number;
  readonly content: Buffer;
  readonly options: Options.Publish;
}

/**
 * An id that is too long for its property is hashed there: the attribute of the event has it whole. A content type that is too long stays a header.
 *
 * @param date milliseconds since 1970 @param tries made before, for a copy that is tried again
 */
export const publicationOf = (
  message: OutgoingMessage,
  to: DelayedTo,
  { date, tries }: { readonly date: number; readonly tries: number },
): Publication => {
  const contentType = message.headers["content-type"];
  return {
    to,
    delayMs: message.delayMs,
    content: bytesOf(message.body),
    options: {
      persistent: true,
      mandatory: true, // returned rather than dropped when no queue takes it
      ...(message.id !== "" && { messageId: shortened(message.id) }),
      ...(contentType !== undefined && isShort(contentType) && { contentType }),
      timestamp: Math.trunc(date / 1000),
      headers: toWire(message, tries),
    },
  };
};

const bytesOf = (body: string | Uint8Array): Buffer =>
  typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
