import type { OutgoingMessage } from "@framework/messaging/adapter";
import type { Options } from "amqplib";
import { isShort, shorten } from "./short-string.ts";
import { toWire } from "./wire-headers.ts";

/** Time and tries of a published message. */
export interface PublishInfo {
  /** Time of the publish in Unix milliseconds. */
  readonly date: number;
  /** Tries made so far, for the copy of a retried message. */
  readonly tries: number;
}

/**
 * Returns the properties of a message. An id that is too long for the property is hashed; the attribute of the event has the whole id. A content type that is
 * too long stays a header.
 */
export const propertiesOf = (
  { id, key, headers }: Pick<OutgoingMessage, "id" | "key" | "headers">,
  { date, tries }: PublishInfo,
): Options.Publish => {
  const contentType = headers["content-type"];
  return {
    ...(id !== "" && { messageId: shorten(id) }),
    ...(contentType !== undefined && isShort(contentType) && { contentType }),
    timestamp: Math.trunc(date / 1000),
    headers: toWire({ headers, key }, tries),
  };
};
