import { type RetryPolicy, retryDelayMs } from "@framework/core";
import { NonRetryableError } from "../queue/non-retryable-error.ts";
import { TryLaterError } from "../queue/try-later-error.ts";

/** What follows from a failed attempt: another one after a delay, or the item gives up. */
export type Verdict = { readonly retryInMs: number } | "exhausted";

/** The part of a queue's definition that decides. */
export interface VerdictRules {
  readonly retry: RetryPolicy;
  readonly isRetryable: (error: unknown) => boolean;
}

/** Decides what follows from the error of an attempt. */
export const verdictOn = (
  error: unknown,
  attempt: number,
  { retry, isRetryable }: VerdictRules,
  random: () => number,
): Verdict => {
  if (TryLaterError.is(error)) return { retryInMs: error.delayMs };
  if (attempt >= retry.attempts || NonRetryableError.is(error) || !asks(isRetryable, error))
    return "exhausted";
  return { retryInMs: retryDelayMs(retry, attempt, random()) };
};

/** A rule that throws says nothing about the error: the attempts stay limited. */
const asks = (isRetryable: (error: unknown) => boolean, error: unknown): boolean => {
  try {
    return isRetryable(error);
  } catch {
    return true;
  }
};
