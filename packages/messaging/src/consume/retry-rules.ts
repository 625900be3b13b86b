import { MAX_DELAY_MS, MAX_QUICK_DELAY_MS } from "../limits.ts";
import { maxTries, type MessageRetry } from "../subscribe/message-retry.ts";

/** What follows from a failed try. */
export type NextTry =
  | { readonly kind: "quick"; readonly delayMs: number }
  | { readonly kind: "delayed"; readonly delayMs: number }
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

/** A failed try. */
export interface FailedTry {
  /** Tries that were made, this one included. */
  readonly tries: number;
  /** A number from 0 up to 1. */
  readonly random: number;
  /** Delay that the handler asked for, in milliseconds; `null` for the policy's. */
  readonly wantedMs: number | null;
}

/** Decides what follows after a failed try. */
export const nextTry = (policy: MessageRetry, { tries, random, wantedMs }: FailedTry): NextTry => {
  const { quickTries, quickDelayMs, delaysMs, jitter } = policy;
  if (tries >= maxTries(policy)) return { kind: "exhausted" };
  const ownMs = tries < quickTries ? quickDelayMs : (delaysMs[tries - quickTries] ?? 0);
  const delayMs = wantedMs === null ? spread(ownMs, jitter, random) : bounded(wantedMs);
  const isQuick = tries < quickTries && (wantedMs === null || delayMs <= MAX_QUICK_DELAY_MS);
  return { kind: isQuick ? "quick" : "delayed", delayMs };
};

/** A delay from a program, which may be any number. */
const bounded = (wantedMs: number): number => (wantedMs > 0 ? Math.min(wantedMs, MAX_DELAY_MS) : 0);

/** Adds to a delay, so that retries do not come in step; never less than the delay. */
const spread = (delayMs: number, jitter: number, random: number): number =>
  Math.round(delayMs * (1 + jitter * random));
