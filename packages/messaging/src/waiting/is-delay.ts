import { MAX_DELAY_MS } from "../limits.ts";

/** Whether a value is a delay in milliseconds that messaging keeps. */
export const isDelay = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= MAX_DELAY_MS;

/** What a delay is, for error messages. */
export const delayRule: string = `a number from 0 to ${MAX_DELAY_MS}`;
