import type { KafkaMessage } from "kafkajs";
import { UNREADABLE } from "../client/unreadable-records.ts";

/**
 * Returns the index of the first message that could not be decompressed, -1 for none, with its codec and the reason.
 *
 * Readable messages may follow it: another producer's batch in the same fetch.
 */
export const unreadableMessages = (
  messages: readonly KafkaMessage[],
): { readonly at: number; readonly why: string } => {
  const at = messages.findIndex((message) => reasonOf(message) !== null);
  return { at, why: reasonOf(messages[at]) ?? "" };
};

const reasonOf = (message: KafkaMessage | undefined): string | null =>
  message?.value !== null || message.key !== null
    ? null
    : (message.headers?.[UNREADABLE]?.toString() ?? null);
