import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { IoredisClient } from "./ioredis.ts";

/** Timeout for pending commands when a client is closed, in milliseconds. */
const PENDING_MS = 1000;

/** Closes a client after its pending commands, within one second. */
export const closeClient = async (client: IoredisClient): Promise<void> => {
  client.on("connecting", () => client.disconnect()); // a pending attempt to connect
  if (client.status === "ready") {
    const waiting = new AbortController();
    const { signal } = waiting;
    const ended = once(client, "end", { signal }).catch(() => {}); // aborted below
    client.quit().catch(() => {}); // the connection is already closed
    await Promise.race([ended, delay(PENDING_MS, undefined, { signal }).catch(() => {})]);
    waiting.abort();
  }
  if (client.status !== "end") client.disconnect();
};
