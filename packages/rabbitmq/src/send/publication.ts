import type { OutgoingMessage } from "@framework/messaging/adapter";
import type { Options } from "amqplib";
import type { MessageTarget } from "../topology/delay-queues.ts";
import { OriginalProperties } from "./original-properties.ts";
import { propertiesOf, type PublishInfo } from "./properties.ts";

/** An encoded message with its target. */
export interface Publication {
  readonly to: MessageTarget;
  readonly delayMs: number;
  readonly content: Buffer;
  readonly options: Options.Publish;
}

/** Encodes a message for an exchange or a queue. The copy of a delivery keeps its original properties. */
export const publicationOf = (message: OutgoingMessage, to: MessageTarget, at: PublishInfo): Publication => {
  const { original, delayMs, body } = message;
  return {
    to,
    delayMs,
    content: bytesOf(body),
    options: {
      persistent: true,
      mandatory: true, // returned instead of dropped if it is unroutable
      ...(original instanceof OriginalProperties
        ? original.propertiesForCopy(message, at)
        : propertiesOf(message, at)),
    },
  };
};

const bytesOf = (body: string | Uint8Array): Buffer =>
  typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
