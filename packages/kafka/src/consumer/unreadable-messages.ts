import type { KafkaMessage } from "kafkajs";
import { UNREADABLE } from "../client/unreadable-records.ts";

/** Returns where messages begin that could not be decompressed, -1 for none, with their codec and the reason. */
export const unreadableMessages = (
  messages: readonly KafkaMessage[],
): { readonly at: number; readonly why: string } => {
  const mark = (message: KafkaMessage | undefined): string | null => {
    if (message?.value !== null || message.key !== null) return null;
    return message.headers?.[UNREADABLE]?.toString() ?? null;
  };
  const why = mark(messages.at(-1)); // what follows them is not decoded either, or is marked, too
  if (why === null) return { at: -1, why: "" };
  return { at: messages.findIndex((message) => mark(message) !== null), why };
};
