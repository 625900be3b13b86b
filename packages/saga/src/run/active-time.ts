import type { SagaRun } from "./saga-run.ts";

/** Milliseconds of active time that are left; without end after the pivot. */
export const remainingMs = ({ saga, parts, activeMs }: SagaRun): number =>
  saga.isFinal ? Infinity : parts.limits.timeoutMs - activeMs;
