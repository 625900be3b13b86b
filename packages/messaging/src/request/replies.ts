import type { Logger } from "@framework/core";
import { failureOf } from "@framework/durable/feature";
import type { Event } from "../envelope/event.ts";
import { newHeaders } from "../envelope/event.ts";
import { headerText } from "../envelope/header-text.ts";
import { REPLY_ERROR, REPLY_OF, REPLY_TO } from "../envelope/own-headers.ts";
import { MAX_ATTRIBUTE, MAX_REQUEST_MS } from "../limits.ts";
import type { Sender } from "../send/sender.ts";
import { endsWithProcess } from "./reply-topics.ts";

/** Dependencies of `sendReplyTo`. */
export interface ReplyParts {
  readonly sender: Sender;
  readonly source: string;
  readonly newId: () => string;
  readonly date: () => number;
  readonly log: Logger;
}

/** Members of a request that a reply needs. */
type RequestMessage = Pick<Event, "id" | "type" | "headers">;

/**
 * Replies to a message that requests a reply. Never rejects: the message was handled even if the reply fails. If the value cannot be encoded, an error is sent instead.
 *
 * @param error code of the failure, instead of a value
 */
export const sendReplyTo = async (
  parts: ReplyParts,
  request: RequestMessage,
  value: unknown,
  error: string | null = null,
): Promise<void> => {
  try {
    await sendReply(parts, request, value, error);
  } catch (failure) {
    parts.log.warn("messaging: a reply was not sent", { error: failure });
    const { code } = failureOf(failure);
    const isOfValue = error === null && code !== "MESSAGING_SEND_FAILED";
    if (isOfValue) await sendReplyTo(parts, request, null, code ?? "failed");
  }
};

const sendReply = async (
  { sender, source, newId, date }: ReplyParts,
  request: RequestMessage,
  value: unknown,
  error: string | null,
): Promise<void> => {
  const to = replyTopic(request);
  if (to === null) return;
  const headers = newHeaders();
  headers[REPLY_OF] = request.id;
  if (error !== null) headers[REPLY_ERROR] = headerText(error);
  const time = new Date(date()).toISOString();
  const event = {
    id: newId(),
    type: replyType(request),
    source,
    subject: null,
    time,
    key: null,
    data: value,
    headers,
  };
  await sender.send(to, [event], { ttlMs: MAX_REQUEST_MS }); // no request waits longer
};

const REPLY = ".reply";

/** Returns the type of a reply, within the limit of attributes: the requester could not decode a longer one. */
const replyType = ({ type }: Pick<Event, "type">): string =>
  `${type.slice(0, MAX_ATTRIBUTE - REPLY.length).toWellFormed()}${REPLY}`;

/** Returns the reply topic of a message; `null` if it requests no reply, or names another topic, which could keep replies for ever. */
export const replyTopic = ({ headers }: Pick<Event, "headers">): string | null => {
  const to = headers[REPLY_TO];
  return to !== undefined && endsWithProcess(to) ? to : null;
};
