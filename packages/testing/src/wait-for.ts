import { setTimeout as pause } from "node:timers/promises";
import type { Awaitable } from "@framework/core";
import { reasonOf, testingError } from "./errors.ts";
import { inTime, unlessAborted } from "./in-time.ts";

/** How long to wait, and for what. */
export interface WaitOptions {
  /** @default 60_000 */
  readonly timeoutMs?: number;
  /** Milliseconds from the end of one look to the next. @default 10 */
  readonly intervalMs?: number;
  /** Completes "waited 60000 ms for …" in the error's message. @default "a condition" */
  readonly what?: string;
}

/** What a condition gives when it holds. */
export type Truthy<T> = Exclude<T, false | 0 | 0n | "" | null | undefined>;

/**
 * Looks again and again until a condition gives something truthy without throwing, and resolves with that.
 *
 * @throws TESTING_TIMEOUT with what the last look came to; the error it threw is the cause. A look that never ends is left behind at the deadline
 */
export const waitFor = async <T>(
  condition: () => Awaitable<T>,
  { timeoutMs = 60_000, intervalMs = 10, what = "a condition" }: WaitOptions = {},
): Promise<Truthy<T>> => {
  let last: { readonly said: string; readonly error?: unknown } = { said: "the first look did not end" };
  const late = () =>
    testingError("TESTING_TIMEOUT", `waited ${timeoutMs} ms for ${what}: ${last.said}`, last.error);
  return inTime(timeoutMs, late, async (deadline) => {
    for (;;) {
      try {
        const value = await unlessAborted(Promise.try(condition), deadline);
        if (value) return value as Truthy<T>; // the condition of this line says so
        last = { said: `the last look gave ${String(value)}` };
      } catch (error) {
        deadline.throwIfAborted();
        last = { said: `the last look threw: ${reasonOf(error)}`, error };
      }
      await unlessAborted(pause(intervalMs, undefined, { ref: false }), deadline);
    }
  });
};
