import { MAX_DELAY_MS } from "../limits.ts";

/** Whether a value is a valid delay in milliseconds, at most 7 days. */
export const isDelay = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= MAX_DELAY_MS;

/** Rule of `isDelay`, for error messages. */
export const delayRule: string = `a number from 0 to ${MAX_DELAY_MS}`;
