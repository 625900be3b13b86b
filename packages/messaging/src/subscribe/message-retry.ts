import { checked, type ConfigRecord, configRecord, decimal, integer } from "@framework/core/feature";
import { MAX_DELAY_MS } from "../limits.ts";

/**
 * Tries of a message: a few quick ones that hold it, then delayed ones, then it is a dead letter. The default is 3 quick tries and then 4 more, 7 in all.
 */
export interface MessageRetry {
  /** Tries without leaving the process, 1 to 100. @default 3 */
  readonly quickTries: number;
  /** Milliseconds between quick tries, 0 to 60,000. @default 100 */
  readonly quickDelayMs: number;
  /** Milliseconds before each delayed try, at most 20; the broker keeps the message where it can. @default [5000, 30000, 120000, 600000] */
  readonly delaysMs: readonly number[];
  /** Random part that is added to each delay, 0 to 1. @default 0.2 */
  readonly jitter: number;
}

const isDelay = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_DELAY_MS;

export const MessageRetry: ConfigRecord<MessageRetry> = configRecord("MessageRetry", {
  quickTries: integer(3, { min: 1, max: 100 }),
  quickDelayMs: integer(100, { min: 0, max: 60_000 }),
  delaysMs: checked<readonly number[]>(
    [5000, 30_000, 120_000, 600_000],
    "a list of at most 20 delays of 1 ms to 7 days",
    (value) => Array.isArray(value) && value.length <= 20 && value.every(isDelay),
  ),
  jitter: decimal(0.2, { min: 0, max: 1 }),
});

/** Number of tries that a policy allows. */
export const maxTries = ({ quickTries, delaysMs }: MessageRetry): number => quickTries + delaysMs.length;
