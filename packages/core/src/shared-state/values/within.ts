import type { Clock } from "../../runtime/clock.ts";

/**
 * Resolves with a promise's value, or with `false` after `waitMs` milliseconds and one more event loop iteration; its errors pass.
 *
 * A busy process runs due timers before it reads received answers; the extra iteration lets it read them.
 */
export const within = (
  work: Promise<boolean>,
  waitMs: number | undefined,
  clock: Pick<Clock, "after">,
): Promise<boolean> => {
  if (waitMs === undefined) return work;
  return new Promise((resolve, reject) => {
    let cancel = clock.after(waitMs, () => {
      cancel = clock.after(0, () => resolve(false));
    });
    work.then(resolve, reject).finally(() => cancel());
  });
};
