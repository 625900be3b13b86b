/** Milliseconds before the first restart of a worker; doubles with each further exit. */
const FIRST_BACKOFF_MS = 100;
/** Maximum wait before a restart. */
const LONGEST_BACKOFF_MS = 5000;
/** Milliseconds of service after which an exit does not count as a failed start: the back-off begins again at `FIRST_BACKOFF_MS`. */
const STEADY_MS = 1000;
/** Milliseconds for which an exit counts. */
const EXIT_WINDOW_MS = 60_000;

/** Decides when an exited worker restarts, and when the supervisor gives up. */
export interface RestartPolicy {
  /** Milliseconds to wait before restarting the worker in `slot`, which was ready for `servedMs`. */
  backoffMs(slot: number, servedMs: number): number;
  /** Whether this exit before ready exceeds `maxRestarts` within 60 s. */
  isCrashLoop(): boolean;
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
  const enough = Math.ceil(Math.log2(LONGEST_BACKOFF_MS / FIRST_BACKOFF_MS)) + 1;
  return {
    backoffMs(slot, servedMs) {
      if (servedMs >= STEADY_MS) exits.delete(slot);
      const times = [...recent(exits.get(slot) ?? []), now()].slice(-enough);
      exits.set(slot, times);
      return Math.min(FIRST_BACKOFF_MS * 2 ** (times.length - 1), LONGEST_BACKOFF_MS);
    },
    isCrashLoop() {
      early = [...recent(early), now()].slice(-(maxRestarts + 1));
      return early.length > maxRestarts;
    },
  };
};
