import type { Event } from "../envelope/event.ts";
import { newHeaders } from "../envelope/event.ts";
import { REPLY_ERROR, REPLY_OF, REPLY_TO } from "../envelope/own-headers.ts";
import type { Sender } from "../send/sender.ts";
import { REPLY_TOPICS } from "./reply-inbox.ts";

/** What replying needs. */
export interface ReplyParts {
  readonly sender: Sender;
  readonly source: string;
  readonly newId: () => string;
  readonly date: () => number;
}

/** A message, as far as a reply to it is concerned. */
type Asked = Pick<Event, "id" | "type" | "headers">;

/** A reply is worth nothing after its requester has given up: an hour at most. */
const TTL_MS = 3_600_000;

/** Sends a reply to a message that asked for one. @param error why it failed, in place of a value */
export const sendReply = async (
  { sender, source, newId, date }: ReplyParts,
  asked: Asked,
  value: unknown,
  error: string | null = null,
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
  await sender.send(to, [event], { ttlMs: TTL_MS });
};

/** The topic of the reply that a message asked for; `null` when it asked for none, or for one in another topic. */
export const replyTopic = ({ headers }: Pick<Event, "headers">): string | null => {
  const to = headers[REPLY_TO];
  return to?.startsWith(REPLY_TOPICS) === true && /^[\w.-]{1,100}$/.test(to) ? to : null;
};
