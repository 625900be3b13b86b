import type { KafkaMessage } from "kafkajs";
import { UNREADABLE } from "../client/unreadable-records.ts";

/** Returns where messages begin that could not be decompressed, -1 for none, with the name of their codec. */
export const unreadableCodec = (
  messages: readonly KafkaMessage[],
): { readonly at: number; readonly name: string } => {
  const mark = (message: KafkaMessage | undefined): string | null => {
    if (message?.value !== null || message.key !== null) return null;
    return message.headers?.[UNREADABLE]?.toString() ?? null;
  };
  const name = mark(messages.at(-1)); // what follows them is not decoded either, or is marked, too
  if (name === null) return { at: -1, name: "" };
  return { at: messages.findIndex((message) => mark(message) !== null), name };
};
