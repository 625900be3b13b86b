import type { MessageRetry } from "../subscribe/message-retry.ts";

/** What follows from a failed try. */
export type NextTry =
  | { readonly kind: "quick"; readonly delayMs: number }
  | { readonly kind: "delayed"; readonly delayMs: number; readonly tier: number }
  | { readonly kind: "exhausted" };

/**
 * Tries that were made before a delivery, as far as its broker counts. A broker that only counts deliveries has made all quick tries in the first one.
 */
export const triesBefore = (
  { tries, deliveries }: { readonly tries: number | null; readonly deliveries: number | null },
  fromHeader: number,
  { quickTries }: MessageRetry,
): number => {
  const counted = tries ?? (deliveries === null || deliveries <= 1 ? 0 : quickTries + deliveries - 2);
  return Math.max(counted, fromHeader);
};

/** Decides what follows after `tries` failed tries. @param random a number from 0 up to 1 */
export const nextTry = (policy: MessageRetry, tries: number, random: number): NextTry => {
  const { quickTries, quickDelayMs, delaysMs, jitter } = policy;
  if (tries < quickTries) return { kind: "quick", delayMs: spread(quickDelayMs, jitter, random) };
  const tier = tries - quickTries;
  const delayMs = delaysMs[tier];
  if (delayMs === undefined) return { kind: "exhausted" };
  return { kind: "delayed", delayMs: spread(delayMs, jitter, random), tier };
};

/** Adds to a delay, so that retries do not come in step; never less than the delay. */
const spread = (delayMs: number, jitter: number, random: number): number =>
  Math.round(delayMs * (1 + jitter * random));
