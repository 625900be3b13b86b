import type { Clock } from "../runtime/clock.ts";

/** Creates timers that fire in the next microtask, and records their delays. */
export const instantClock = (): Pick<Clock, "after"> & { readonly delays: readonly number[] } => {
  const delays: number[] = [];
  return {
    delays,
    after: (delayMs, task) => {
      delays.push(delayMs);
      let isPending = true;
      queueMicrotask(() => {
        if (isPending) task();
      });
      return () => void (isPending = false);
    },
  };
};
