/** Calls `run` once after `delayMs` milliseconds unless the returned function is called before. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

/** Schedules on timers that do not keep the process alive. */
export const systemSchedule: Schedule = (run, delayMs) => {
  const timer = setTimeout(run, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
};

/**
 * Calls `late` after `timeoutMs` milliseconds and one more turn of the event loop, unless the returned function is called before.
 *
 * A process that was busy itself finds its timers due before it has read the answers that came meanwhile: the turn lets it read them.
 */
export const deadline = (schedule: Schedule, timeoutMs: number, late: () => void): (() => void) => {
  let cancel = schedule(() => {
    cancel = schedule(late, 0);
  }, timeoutMs);
  return () => cancel();
};
