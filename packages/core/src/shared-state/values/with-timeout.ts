import { type Clock, MAX_TIMEOUT_MS } from "../../runtime/clock.ts";

/**
 * Resolves with the value of `work`, or with the result of `fallback` after `waitMs` milliseconds and one more event loop iteration. An error of either
 * rejects; an error of `work` after the timeout is ignored. Without `waitMs`, or above the maximum of timers, it only waits for `work`.
 *
 * A busy process runs due timers before it reads received responses; the extra iteration lets it read them.
 */
export const withTimeout = <T>(
  work: Promise<T>,
  waitMs: number | undefined,
  clock: Pick<Clock, "after">,
  fallback: () => T,
): Promise<T> => {
  if (waitMs === undefined || waitMs > MAX_TIMEOUT_MS) return work;
  return new Promise((resolve, reject) => {
    const expire = (): void => resolve(new Promise((settle) => settle(fallback())));
    let cancel = clock.after(waitMs, () => {
      cancel = clock.after(0, expire);
    });
    work.then(resolve, reject).finally(() => cancel());
  });
};
