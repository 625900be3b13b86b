import type { OutgoingMessage } from "@framework/messaging/adapter";
import type { Options } from "amqplib";
import type { DelayedTo } from "../topology/delay-queues.ts";
import { OriginalProperties } from "./original-properties.ts";
import { propertiesOf, type PublishedAt } from "./properties.ts";

/** A message as it is published. */
export interface Publication {
  readonly to: DelayedTo;
  readonly delayMs: number;
  readonly content: Buffer;
  readonly options: Options.Publish;
}

/** A message for an exchange or a queue; a copy of a delivery has its original properties. */
export const publicationOf = (message: OutgoingMessage, to: DelayedTo, at: PublishedAt): Publication => {
  const { original, delayMs, body } = message;
  return {
    to,
    delayMs,
    content: bytesOf(body),
    options: {
      persistent: true,
      mandatory: true, // returned rather than dropped when no queue takes it
      ...(original instanceof OriginalProperties
        ? original.copiedTo(message, at)
        : propertiesOf(message, at)),
    },
  };
};

const bytesOf = (body: string | Uint8Array): Buffer =>
  typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
