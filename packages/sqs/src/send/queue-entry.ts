import { randomUUID } from "node:crypto";
import type { SendMessageBatchRequestEntry } from "@aws-sdk/client-sqs";
import { deadHeaders, GROUP, NOT_BEFORE, type OutgoingMessage } from "@framework/messaging/adapter";
import { deduplicationIdOf, groupIdOf } from "../message/fifo-ids.ts";
import { store } from "../message/stored-message.ts";
import type { Queue } from "../queues/known-queues.ts";

/** A message for one queue, without the id of its entry. */
export interface QueueEntry {
  readonly entry: Omit<SendMessageBatchRequestEntry, "Id">;
  readonly bytes: number;
}

/** Longest delay of SQS: 15 minutes. */
export const MAX_DELAY_MS = 900_000;

/**
 * Encodes a message for a queue. FIFO queues delay no single message: there the time is in a header, and messaging holds the delivery.
 *
 * @param options.date now, in milliseconds since 1970
 * @param options.copyOf id of the original, for a copy that is tried again
 */
export const queueEntry = (
  message: OutgoingMessage,
  { isFifo }: Pick<Queue, "isFifo">,
  { date, tries = 0, copyOf }: { readonly date: number; readonly tries?: number; readonly copyOf?: string },
): QueueEntry => {
  const { key, delayMs } = message;
  if (isFifo) {
    const { MessageBody, MessageAttributes, bytes } = store(withTime(message, date), tries, copyOf);
    const MessageGroupId = groupIdOf(message);
    const MessageDeduplicationId = deduplicationOf(message, { tries, copyOf });
    return { entry: { MessageBody, MessageAttributes, MessageGroupId, MessageDeduplicationId }, bytes };
  }
  const { MessageBody, MessageAttributes, bytes } = store(message, tries, copyOf);
  const DelaySeconds = Math.min(Math.ceil(delayMs / 1000), MAX_DELAY_MS / 1000);
  const fair = key === null ? {} : { MessageGroupId: groupIdOf(message) }; // keys take turns: fair queues
  return {
    entry: { MessageBody, MessageAttributes, ...fair, ...(DelaySeconds > 0 && { DelaySeconds }) },
    bytes,
  };
};

/**
 * A message for one group alone is a replay: it must not be taken for the message that failed. A dead letter has the id and body of its original, also when
 * two groups give that up, or one group twice.
 */
const deduplicationOf = (
  { id, body, headers }: OutgoingMessage,
  { tries, copyOf }: { readonly tries: number; readonly copyOf: string | undefined },
): string => {
  if (copyOf !== undefined) return deduplicationIdOf("copy", copyOf, String(tries));
  if (headers[GROUP] !== undefined) return deduplicationIdOf("replay", randomUUID());
  const { [deadHeaders.topic]: topic, [deadHeaders.group]: group, [deadHeaders.lastAt]: at } = headers;
  return topic === undefined || group === undefined || at === undefined
    ? deduplicationIdOf(id, body)
    : deduplicationIdOf("dead", topic, group, at, id, body);
};

const withTime = (message: OutgoingMessage, date: number): OutgoingMessage => {
  const { headers, delayMs } = message;
  if (delayMs === 0) return message;
  const copy = Object.assign(Object.create(null) as Record<string, string>, headers);
  copy[NOT_BEFORE] = String(Math.ceil(date + delayMs));
  return { ...message, headers: copy };
};
