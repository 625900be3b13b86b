import { type RetryPolicy, retryDelayMs } from "@framework/core";
import { NonRetryableError } from "../queue/non-retryable-error.ts";
import { TryLaterError } from "../queue/try-later-error.ts";

/** Decision after a failed attempt: retry after a delay, or give up. */
export type Verdict = { readonly retryInMs: number } | "exhausted";

/** The part of a queue's definition that decides on retries. */
export interface VerdictRules {
  readonly retry: RetryPolicy;
  readonly isRetryable: (error: unknown) => boolean;
}

/** Decides whether an item is retried after an error. */
export const verdictOn = (
  error: unknown,
  attempt: number,
  { retry, isRetryable }: VerdictRules,
  random: () => number,
): Verdict => {
  if (TryLaterError.is(error)) return { retryInMs: error.delayMs };
  if (attempt >= retry.attempts || NonRetryableError.is(error) || !mayRetry(isRetryable, error))
    return "exhausted";
  return { retryInMs: retryDelayMs(retry, attempt, random()) };
};

/** If `isRetryable` throws, the error counts as retryable; the number of attempts is limited anyway. */
const mayRetry = (isRetryable: (error: unknown) => boolean, error: unknown): boolean => {
  try {
    return isRetryable(error);
  } catch {
    return true;
  }
};
