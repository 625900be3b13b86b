import type { KafkaMessage } from "kafkajs";
import { UNREADABLE } from "../client/unreadable-records.ts";

/** Returns the index of the first message that could not be decompressed, -1 for none, with its codec and the reason. */
export const unreadableMessages = (
  messages: readonly KafkaMessage[],
): { readonly at: number; readonly why: string } => {
  const mark = (message: KafkaMessage | undefined): string | null => {
    if (message?.value !== null || message.key !== null) return null;
    return message.headers?.[UNREADABLE]?.toString() ?? null;
  };
  const why = mark(messages.at(-1)); // assumes that no readable batch follows an unreadable one in the same fetch
  if (why === null) return { at: -1, why: "" };
  return { at: messages.findIndex((message) => mark(message) !== null), why };
};
