import type { Clock } from "@framework/core/feature";

/**
 * Calls `late` after `timeoutMs` milliseconds and one more turn of the event loop, unless the returned function is called before.
 *
 * A busy process runs its due timers before it reads answers that have arrived: the turn lets it read them.
 */
export const deadline = (clock: Pick<Clock, "after">, timeoutMs: number, late: () => void): (() => void) => {
  let cancel = clock.after(timeoutMs, () => {
    cancel = clock.after(0, late);
  });
  return () => cancel();
};
