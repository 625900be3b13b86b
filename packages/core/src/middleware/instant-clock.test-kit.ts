import type { Clock } from "../runtime/clock.ts";

/** Creates timers that fire in the next microtask, and records their delays. */
export const instantClock = (): Pick<Clock, "after"> & { readonly delays: readonly number[] } => {
  const delays: number[] = [];
  return {
    delays,
    after: (delayMs, task) => {
      delays.push(delayMs);
      let isOn = true;
      queueMicrotask(() => {
        if (isOn) task();
      });
      return () => void (isOn = false);
    },
  };
};
