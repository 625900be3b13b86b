import { MAX_TIMEOUT_MS } from "./clock.ts";

/** Number of unreleased calls. All calls share one timer. */
let holders = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/**
 * Keeps the process running until the returned function is called; timers of the system clock do not keep it running.
 *
 * For work that lasts from the start of an app to its stop, and for promises that only a timer of the framework settles.
 */
export const keepAlive = (): (() => void) => {
  if (holders++ === 0) timer = setInterval(() => {}, MAX_TIMEOUT_MS);
  let isReleased = false;
  return () => {
    if (isReleased) return;
    isReleased = true;
    if (--holders === 0) clearInterval(timer);
  };
};
