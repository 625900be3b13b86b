/** Milliseconds before the first respawn of a worker; doubles with each further death. */
const FIRST_BACKOFF_MS = 100;
/** Longest wait before a respawn. */
const LONGEST_BACKOFF_MS = 5000;
/** A worker that served for so long did not die of its start: it comes back at once. */
const STEADY_MS = 1000;
/** Deaths older than this are forgotten. */
const DEATH_MEMORY_MS = 60_000;

/** Decides when a dead worker comes back, and when the supervisor gives up. */
export interface RestartPolicy {
  /** Milliseconds to wait before the respawn of a worker in `slot`, which had been ready for `servedMs`. */
  backoffMs(slot: number, servedMs: number): number;
  /** Whether this death before ready is one more than `maxRestarts` within 60 s. */
  diedTooOften(): boolean;
}

/** A policy whose memory is bounded: per slot the deaths that still matter for its back-off, and `maxRestarts + 1` early deaths. */
export const restartPolicy = (
  maxRestarts: number,
  now: () => number = () => performance.now(),
): RestartPolicy => {
  const deaths = new Map<number, number[]>();
  let early: number[] = [];
  const recent = (times: readonly number[]): number[] =>
    times.filter((time) => now() - time < DEATH_MEMORY_MS);
  const enough = Math.ceil(Math.log2(LONGEST_BACKOFF_MS / FIRST_BACKOFF_MS)) + 1;
  return {
    backoffMs(slot, servedMs) {
      if (servedMs >= STEADY_MS) deaths.delete(slot);
      const times = [...recent(deaths.get(slot) ?? []), now()].slice(-enough);
      deaths.set(slot, times);
      return Math.min(FIRST_BACKOFF_MS * 2 ** (times.length - 1), LONGEST_BACKOFF_MS);
    },
    diedTooOften() {
      early = [...recent(early), now()].slice(-(maxRestarts + 1));
      return early.length > maxRestarts;
    },
  };
};
