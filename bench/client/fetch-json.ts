import { Connection } from "./connection.ts";

/** Requests a JSON document on a new connection; throws unless the status is 200. */
export const fetchJson = async (port: number, path: string): Promise<unknown> => {
  const outcome = await new Connection(port).exchange({ path, fields: { Connection: "close" } });
  if (outcome.kind === "reply" && outcome.reply.status === 200) return JSON.parse(outcome.reply.body);
  throw new Error(`GET ${path}: ${outcome.kind === "reply" ? outcome.reply.status : outcome.kind}`);
};
