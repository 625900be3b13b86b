import type { SagaRun } from "./saga-run.ts";

/** Milliseconds of active time that are left; without end after the pivot. */
export const remainingMs = (run: SagaRun): number => {
  const { isFinal, activeMs, activeSince, now } = run.saga;
  if (isFinal) return Infinity;
  const since = activeSince === null ? 0 : now - activeSince;
  return run.parts.limits.timeoutMs - activeMs - since - run.elapsedMs;
};
