import { type RetryPolicy, retryPolicy } from "@framework/core";
import type { Branch } from "../definition/step.ts";
import type { RunLimits } from "./runner-parts.ts";

const defaultRetry: Omit<RetryPolicy, "attempts"> = {
  delayMs: 1000,
  factor: 2,
  jitter: 0.5,
  maxDelayMs: 30_000,
};

/** Undos are retried until `undoTimeoutMs`, regardless of the retry policy of their step. */
export const undoRetry: RetryPolicy = retryPolicy({
  attempts: 1000,
  delayMs: 1000,
  factor: 2,
  jitter: 0.5,
  maxDelayMs: 300_000,
});

/** Returns the attempts and delays of a branch. */
export const retryOf = ({ retry }: Branch, { maxRetries }: Pick<RunLimits, "maxRetries">): RetryPolicy =>
  retryPolicy(retry ?? {}, { ...defaultRetry, attempts: maxRetries + 1 });
