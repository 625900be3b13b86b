import type { Timers } from "./timers.ts";

/** Timers that fire when a test says so. */
export interface ManualTimers extends Timers {
  /** Delays of the timers that wait. */
  readonly delays: () => number[];
  /** Delays of all timers that were set. */
  readonly all: readonly number[];
  /** Fires the timer that was set first among those that wait, and lets promises settle. */
  fire(): Promise<void>;
}

/** @param isInstant whether timers fire at once, as soon as promises have settled */
export const manualTimers = (isInstant = false): ManualTimers => {
  const waiting = new Map<number, { readonly delayMs: number; readonly run: () => void }>();
  const all: number[] = [];
  const fire = async (): Promise<void> => {
    const [first] = waiting;
    if (first !== undefined) {
      waiting.delete(first[0]);
      first[1].run();
    }
    await new Promise<void>((resolve) => void setImmediate(resolve));
  };
  return {
    setTimeout: (run, delayMs) => {
      const timer = all.push(delayMs);
      waiting.set(timer, { delayMs, run });
      if (isInstant) queueMicrotask(() => void fire());
      return timer;
    },
    clearTimeout: (timer: number) => void waiting.delete(timer),
    delays: () => [...waiting.values()].map(({ delayMs }) => delayMs),
    all,
    fire,
  };
};
