import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { IoredisClient } from "./ioredis.ts";

/** Maximum wait for pending commands when a client is closed, in milliseconds. */
const LAST_ANSWERS_MS = 1000;

/** Closes a client after its pending commands, within one second. */
export const closeClient = async (client: IoredisClient): Promise<void> => {
  client.on("connecting", () => client.disconnect()); // an attempt that was on its way
  if (client.status === "ready") {
    const waiting = new AbortController();
    const { signal } = waiting;
    const ended = once(client, "end", { signal }).catch(() => {}); // nobody waits any more
    client.quit().catch(() => {}); // it is gone already, which is what was wanted
    await Promise.race([ended, delay(LAST_ANSWERS_MS, undefined, { signal }).catch(() => {})]);
    waiting.abort();
  }
  if (client.status !== "end") client.disconnect();
};
