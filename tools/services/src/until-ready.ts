import { setTimeout as delay } from "node:timers/promises";

/** Deadline and interval of the attempts; `gaveUp` ends them early. */
export interface Patience {
  readonly withinMs?: number;
  readonly everyMs?: number;
  readonly gaveUp?: () => boolean;
}

/**
 * Repeats a request until the server answers: an open port does not mean that it is ready.
 *
 * @throws Error with the last failure as cause, after `withinMs` or when `gaveUp` returns true
 */
export const untilReady = async (
  what: string,
  ask: () => Promise<void>,
  { withinMs = 150_000, everyMs = 50, gaveUp = () => false }: Patience = {},
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
