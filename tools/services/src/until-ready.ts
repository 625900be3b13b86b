import { setTimeout as delay } from "node:timers/promises";

/** Options of `untilReady`: time limit and interval in milliseconds; `isAborted` ends the attempts early. */
export interface RetryOptions {
  readonly withinMs?: number;
  readonly everyMs?: number;
  readonly isAborted?: () => boolean;
}

/**
 * Repeats a check until it succeeds: an open port does not mean that a server is ready.
 *
 * @throws Error with the last failure as cause, after `withinMs` or when `isAborted` returns true
 */
export const untilReady = async (
  label: string,
  check: () => Promise<void>,
  { withinMs = 150_000, everyMs = 50, isAborted = () => false }: RetryOptions = {},
): Promise<void> => {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (cause) {
      if (isAborted()) throw new Error(`${label} ended while it started`, { cause });
      if (performance.now() > deadline)
        throw new Error(`${label} was not ready in ${withinMs} ms`, { cause });
    }
    await delay(everyMs);
  }
};
