import { MAX_DELAY_MS, MAX_QUICK_DELAY_MS } from "../limits.ts";
import { maxTries, type MessageRetry } from "../subscribe/message-retry.ts";

/** Decision after a failed try. */
export type NextTry =
  | { readonly kind: "quick"; readonly delayMs: number }
  | { readonly kind: "delayed"; readonly delayMs: number }
  | { readonly kind: "exhausted" };

/**
 * Returns the tries made before a delivery. If the broker only counts deliveries, the first delivery is assumed to have used all quick tries.
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
  /** Tries so far, including this one. */
  readonly tries: number;
  /** A number from 0 up to 1. */
  readonly random: number;
  /** Delay that the handler requested, in milliseconds; `null` for the delay of the policy. */
  readonly requestedMs: number | null;
}

/** Decides between a quick try, a delayed try and a dead letter. */
export const nextTry = (policy: MessageRetry, { tries, random, requestedMs }: FailedTry): NextTry => {
  const { quickTries, quickDelayMs, delaysMs, jitter } = policy;
  if (tries >= maxTries(policy)) return { kind: "exhausted" };
  const ownMs = tries < quickTries ? quickDelayMs : (delaysMs[tries - quickTries] ?? 0);
  const delayMs = requestedMs === null ? withJitter(ownMs, jitter, random) : clampDelay(requestedMs);
  const isQuick = tries < quickTries && (requestedMs === null || delayMs <= MAX_QUICK_DELAY_MS);
  return { kind: isQuick ? "quick" : "delayed", delayMs };
};

/** Clamps a delay from a handler, which may be any number. */
const clampDelay = (requestedMs: number): number =>
  requestedMs > 0 ? Math.min(requestedMs, MAX_DELAY_MS) : 0;

/** Adds jitter to a delay, so that retries do not happen at the same time; at most the longest delay, which brokers support. */
const withJitter = (delayMs: number, jitter: number, random: number): number =>
  Math.min(Math.round(delayMs * (1 + jitter * random)), MAX_DELAY_MS);
