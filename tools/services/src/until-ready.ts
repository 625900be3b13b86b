import { setTimeout as delay } from "node:timers/promises";

/** Deadline and interval of the attempts; `isAborted` ends them early. */
export interface RetryOptions {
  readonly withinMs?: number;
  readonly everyMs?: number;
  readonly isAborted?: () => boolean;
}

/**
 * Repeats a request until the server answers: an open port does not mean that it is ready.
 *
 * @throws Error with the last failure as cause, after `withinMs` or when `isAborted` returns true
 */
export const untilReady = async (
  what: string,
  ask: () => Promise<void>,
  { withinMs = 150_000, everyMs = 50, isAborted = () => false }: RetryOptions = {},
): Promise<void> => {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await ask();
    } catch (cause) {
      if (isAborted()) throw new Error(`${what} ended while it started`, { cause });
      if (performance.now() > deadline) throw new Error(`${what} was not ready in ${withinMs} ms`, { cause });
    }
    await delay(everyMs);
  }
};
