import { setTimeout as delay } from "node:timers/promises";

/** How long and how often to ask; `gaveUp` ends it early. */
export interface Patience {
  readonly withinMs?: number;
  readonly everyMs?: number;
  readonly gaveUp?: () => boolean;
}

/**
 * Asks a server again and again until it answers: an open port is not yet a server that works.
 *
 * @throws the last answer as cause, once `withinMs` have passed or `gaveUp` says that the server has ended.
 */
export const untilReady = async (
  what: string,
  ask: () => Promise<void>,
  { withinMs = 60_000, everyMs = 50, gaveUp = () => false }: Patience = {},
): Promise<void> => {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await ask();
    } catch (cause) {
      if (gaveUp()) throw new Error(`${what} ended while it started`, { cause });
      if (performance.now() > deadline) throw new Error(`${what} was not ready in ${withinMs} ms`, { cause });
    }
    await delay(everyMs);
  }
};
