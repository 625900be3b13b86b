import { randomUUID } from "node:crypto";
import type { SendMessageBatchRequestEntry } from "@aws-sdk/client-sqs";
import { deadHeaders, GROUP, NOT_BEFORE, type OutgoingMessage } from "@framework/messaging/adapter";
import { deduplicationIdOf, groupIdOf } from "../message/fifo-ids.ts";
import { store } from "../message/stored-message.ts";
import type { Queue } from "../queues/known-queues.ts";

/** A batch entry for one queue, without its id. */
export interface QueueEntry {
  readonly entry: Omit<SendMessageBatchRequestEntry, "Id">;
  readonly bytes: number;
}

/** Maximum delay of SQS: 15 minutes. */
export const MAX_DELAY_MS = 900_000;

/**
 * Encodes a message for a queue. FIFO queues cannot delay single messages: the due time is stored in a header, and messaging holds the delivery.
 *
 * @param options.date current time in Unix milliseconds
 * @param options.copyOf `MessageId` of the original, for the copy of a retried message
 */
export const queueEntry = (
  message: OutgoingMessage,
  { isFifo }: Pick<Queue, "isFifo">,
  { date, tries = 0, copyOf }: { readonly date: number; readonly tries?: number; readonly copyOf?: string },
): QueueEntry => {
  const { key, delayMs } = message;
  if (isFifo) {
    const { MessageBody, MessageAttributes, bytes } = store(withDueTime(message, date), tries, copyOf);
    const MessageGroupId = groupIdOf(message);
    const MessageDeduplicationId = deduplicationOf(message, { tries, copyOf });
    return { entry: { MessageBody, MessageAttributes, MessageGroupId, MessageDeduplicationId }, bytes };
  }
  const { MessageBody, MessageAttributes, bytes } = store(message, tries, copyOf);
  const DelaySeconds = Math.min(Math.ceil(delayMs / 1000), MAX_DELAY_MS / 1000);
  const fair = key === null ? {} : { MessageGroupId: groupIdOf(message) }; // enables fair queues between keys
  return {
    entry: { MessageBody, MessageAttributes, ...fair, ...(DelaySeconds > 0 && { DelaySeconds }) },
    bytes,
  };
};

/**
 * Returns the deduplication id. A message for one group is a replay, which must not be dropped as a duplicate of the failed message. Dead letters have the id and
 * body of the original, so their deduplication id includes group and time.
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

const withDueTime = (message: OutgoingMessage, date: number): OutgoingMessage => {
  const { headers, delayMs } = message;
  if (delayMs === 0) return message;
  const copy = Object.assign(Object.create(null) as Record<string, string>, headers);
  copy[NOT_BEFORE] = String(Math.ceil(date + delayMs));
  return { ...message, headers: copy };
};
