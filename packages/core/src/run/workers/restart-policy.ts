/** Milliseconds before the first restart of a worker; doubles with each further exit. */
const FIRST_BACKOFF_MS = 100;
/** Maximum wait before a restart. */
const MAX_BACKOFF_MS = 5000;
/** Milliseconds of service after which an exit does not count as a failed start: the back-off begins again at `FIRST_BACKOFF_MS`. */
const STEADY_MS = 1000;
/** Milliseconds for which an exit counts. */
const EXIT_WINDOW_MS = 60_000;

/** Decides when an exited worker restarts, and when the supervisor gives up. */
export interface RestartPolicy {
  /** Counts an exit of the worker in `slot`, which was ready for `servedMs`. Returns the milliseconds to wait before its restart. */
  countExit(slot: number, servedMs: number): number;
  /** Counts an exit before ready. Returns whether there were more than `maxRestarts` within 60 s. */
  countEarlyExit(): boolean;
}

/** Creates a restart policy with bounded memory: per slot the exits that affect its back-off, and `maxRestarts + 1` early exits. */
export const restartPolicy = (
  maxRestarts: number,
  now: () => number = () => performance.now(),
): RestartPolicy => {
  const exits = new Map<number, number[]>();
  let early: number[] = [];
  const recent = (times: readonly number[]): number[] =>
    times.filter((time) => now() - time < EXIT_WINDOW_MS);
  const maxTimes = Math.ceil(Math.log2(MAX_BACKOFF_MS / FIRST_BACKOFF_MS)) + 1;
  return {
    countExit(slot, servedMs) {
      if (servedMs >= STEADY_MS) exits.delete(slot);
      const times = [...recent(exits.get(slot) ?? []), now()].slice(-maxTimes);
      exits.set(slot, times);
      return Math.min(FIRST_BACKOFF_MS * 2 ** (times.length - 1), MAX_BACKOFF_MS);
    },
    countEarlyExit() {
      early = [...recent(early), now()].slice(-(maxRestarts + 1));
      return early.length > maxRestarts;
    },
  };
};
