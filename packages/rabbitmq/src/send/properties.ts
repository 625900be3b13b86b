import type { OutgoingMessage } from "@framework/messaging/adapter";
import type { Options } from "amqplib";
import { isShort, shortened } from "./short-string.ts";
import { toWire } from "./wire-headers.ts";

/** When a message is published, and how often it was tried. */
export interface PublishedAt {
  /** Milliseconds since 1970. */
  readonly date: number;
  /** Tries made before, for a copy that is tried again. */
  readonly tries: number;
}

/**
 * The properties of a message. An id that is too long for its property is hashed there: the attribute of the event has it whole. A content type that is too long
 * stays a header.
 */
export const propertiesOf = (
  { id, key, headers }: Pick<OutgoingMessage, "id" | "key" | "headers">,
  { date, tries }: PublishedAt,
): Options.Publish => {
  const contentType = headers["content-type"];
  return {
    ...(id !== "" && { messageId: shortened(id) }),
    ...(contentType !== undefined && isShort(contentType) && { contentType }),
    timestamp: Math.trunc(date / 1000),
    headers: toWire({ headers, key }, tries),
  };
};
