import { checked, type ConfigRecord, configRecord, decimal, integer } from "@framework/core/feature";
import { MAX_DELAY_MS } from "../limits.ts";

/**
 * Retry policy: quick tries in the process, then delayed tries, then a dead letter. By default 3 quick and 4 delayed tries, 7 in all.
 */
export interface MessageRetry {
  /** Tries while the process holds the message, 1 to 100. @default 3 */
  readonly quickTries: number;
  /** Milliseconds between quick tries, 0 to 60,000. @default 100 */
  readonly quickDelayMs: number;
  /** Milliseconds before each delayed try, at most 20 tries; the message waits at the broker if that supports it. @default [5000, 30000, 120000, 600000] */
  readonly delaysMs: readonly number[];
  /** Maximum random fraction added to each delay, 0 to 1. @default 0.2 */
  readonly jitter: number;
}

const isDelay = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_DELAY_MS;

/** Checks a retry policy and adds the defaults. */
export const MessageRetry: ConfigRecord<MessageRetry> = configRecord("MessageRetry", {
  quickTries: integer(3, { min: 1, max: 100 }),
  quickDelayMs: integer(100, { min: 0, max: 60_000 }),
  delaysMs: checked<readonly number[]>(
    [5000, 30_000, 120_000, 600_000],
    "a list of at most 20 delays of 1 ms to 7 days",
    (value) => Array.isArray(value) && value.length <= 20 && Array.from(value).every(isDelay), // `every` alone skips holes
  ),
  jitter: decimal(0.2, { min: 0, max: 1 }),
});

/** Returns the maximum tries of a policy. */
export const maxTries = ({ quickTries, delaysMs }: MessageRetry): number => quickTries + delaysMs.length;
