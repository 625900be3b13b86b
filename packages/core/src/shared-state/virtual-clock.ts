import type { Schedule } from "./in-process/schedule.ts";

/** A clock and timers that move only when a test says so. */
export interface VirtualClock {
  /** Milliseconds since the clock was made. */
  readonly now: () => number;
  readonly schedule: Schedule;
  /** Timers that wait. */
  readonly waiting: number;
  /** Moves on by `ms`, running each timer at its time, with whatever promises it settles. */
  readonly advance: (ms: number) => Promise<void>;
}

/** Makes a virtual clock that stands at 0. */
export const virtualClock = (): VirtualClock => {
  let time = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const next = (end: number) => [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
  return {
    now: () => time,
    schedule: (run, delayMs) => {
      const timer = { at: time + delayMs, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    get waiting() {
      return timers.size;
    },
    advance: async (ms) => {
      const end = time + ms;
      await turn();
      for (let timer = next(end); timer !== undefined; timer = next(end)) {
        timers.delete(timer);
        time = Math.max(time, timer.at);
        timer.run();
        await turn();
      }
      time = end;
    },
  };
};

/** One turn of the event loop: every promise that can settle has. */
const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
