import type { Clock } from "../runtime/clock.ts";

/** Timers that fire as soon as the running code has ended, and the delays that they were set with. */
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
