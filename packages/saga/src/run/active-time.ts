import type { SagaRun } from "./saga-run.ts";

/** Returns the remaining active time in milliseconds; unlimited after the pivot. */
export const remainingMs = ({ saga, parts, activeMs }: SagaRun): number =>
  saga.isFinal ? Infinity : parts.limits.timeoutMs - activeMs;
