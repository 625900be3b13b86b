import type { Logger } from "@framework/core";
import { failureOf } from "@framework/durable/feature";
import type { Event } from "../envelope/event.ts";
import { newHeaders } from "../envelope/event.ts";
import { REPLY_ERROR, REPLY_OF, REPLY_TO } from "../envelope/own-headers.ts";
import { MAX_REQUEST_MS } from "../limits.ts";
import type { Sender } from "../send/sender.ts";
import { takesReplies } from "./reply-topics.ts";

/** What replying needs. */
export interface ReplyParts {
  readonly sender: Sender;
  readonly source: string;
  readonly newId: () => string;
  readonly date: () => number;
  readonly log: Logger;
}

/** A message, as far as a reply to it is concerned. */
type Asked = Pick<Event, "id" | "type" | "headers">;

/**
 * Answers a message that asked for a reply. Never rejects: the message was handled, whether its sender learns of it or not. A value that cannot be sent is
 * answered as a failure.
 *
 * @param error code of its failure, in place of a value
 */
export const answer = async (
  parts: ReplyParts,
  asked: Asked,
  value: unknown,
  error: string | null = null,
): Promise<void> => {
  try {
    await sendReply(parts, asked, value, error);
  } catch (failure) {
    parts.log.warn("messaging: a reply was not sent", { error: failure });
    const { code } = failureOf(failure);
    const isOfValue = error === null && code !== "MESSAGING_SEND_FAILED";
    if (isOfValue) await answer(parts, asked, null, code ?? "failed");
  }
};

const sendReply = async (
  { sender, source, newId, date }: ReplyParts,
  asked: Asked,
  value: unknown,
  error: string | null,
): Promise<void> => {
  const to = replyTopic(asked);
  if (to === null) return;
  const headers = newHeaders();
  headers[REPLY_OF] = asked.id;
  if (error !== null) headers[REPLY_ERROR] = error;
  const time = new Date(date()).toISOString();
  const event = {
    id: newId(),
    type: `${asked.type}.reply`,
    source,
    subject: null,
    time,
    key: null,
    data: value,
    headers,
  };
  await sender.send(to, [event], { ttlMs: MAX_REQUEST_MS }); // later its requester has given up
};

/** The topic of the reply that a message asked for; `null` when it asked for none, or for one in another topic. */
export const replyTopic = ({ headers }: Pick<Event, "headers">): string | null => {
  const to = headers[REPLY_TO];
  return to !== undefined && takesReplies(to) ? to : null;
};
