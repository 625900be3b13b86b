import { Connection } from "./connection.ts";
import { get } from "./wire.ts";

/** Asks for a JSON document on a connection of its own; anything but a 200 throws. */
export const ask = async (port: number, path: string): Promise<unknown> => {
  const outcome = await new Connection(port).exchange(get(path).replace("keep-alive", "close"));
  if (outcome.kind === "reply" && outcome.reply.status === 200) return JSON.parse(outcome.reply.body);
  throw new Error(`GET ${path}: ${outcome.kind === "reply" ? outcome.reply.head : outcome.kind}`);
};
