import { type Clock, MAX_TIMEOUT_MS } from "../../runtime/clock.ts";

/**
 * Resolves with a promise's value, or with that of `late` after `waitMs` milliseconds and one more event loop iteration; errors of both pass, and a late
 * one of `work` is ignored. Without `waitMs`, or beyond the longest timer, it waits for the promise.
 *
 * A busy process runs due timers before it reads received answers; the extra iteration lets it read them.
 */
export const within = <T>(
  work: Promise<T>,
  waitMs: number | undefined,
  clock: Pick<Clock, "after">,
  late: () => T,
): Promise<T> => {
  if (waitMs === undefined || waitMs > MAX_TIMEOUT_MS) return work;
  return new Promise((resolve, reject) => {
    const expire = (): void => resolve(new Promise((settle) => settle(late())));
    let cancel = clock.after(waitMs, () => {
      cancel = clock.after(0, expire);
    });
    work.then(resolve, reject).finally(() => cancel());
  });
};
