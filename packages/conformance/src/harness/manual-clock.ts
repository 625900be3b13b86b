import type { Clock } from "@framework/core/testing";

/** A clock that stands still until a test turns it. */
export interface ManualClock extends Clock {
  /** Turns the clock on, second by second, running what is due. */
  advance(ms: number): void;
}

interface Timer {
  due: number;
  readonly period: number | null;
  readonly task: () => void;
}

/** Makes a clock that starts at 1000 s. */
export const manualClock = (): ManualClock => {
  let now = 1_000_000;
  const timers = new Set<Timer>();
  const add = (ms: number, period: number | null, task: () => void) => {
    const timer = { due: now + ms, period, task };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const run = (timer: Timer): void => {
    if (timer.period === null) timers.delete(timer);
    else timer.due += timer.period;
    timer.task();
  };
  const due = (end: number) =>
    [...timers].filter((timer) => timer.due <= end).toSorted((a, b) => a.due - b.due)[0];
  return {
    now: () => now,
    every: (ms, task) => add(ms, ms, task),
    after: (ms, task) => add(ms, null, task),
    advance(ms) {
      const end = now + ms;
      for (let next = due(end); next !== undefined; next = due(end)) {
        now = Math.max(now, next.due);
        run(next);
      }
      now = end;
    },
  };
};
