import { setTimeout as pause } from "node:timers/promises";
import type { Awaitable } from "@framework/core";
import { reasonOf, testingError } from "./errors.ts";
import { inTime, unlessAborted } from "./in-time.ts";

/** Options of `waitFor`. */
export interface WaitOptions {
  /** Timeout in milliseconds. @default 60_000 */
  readonly timeoutMs?: number;
  /** Milliseconds between two attempts. @default 10 */
  readonly intervalMs?: number;
  /** Completes "waited 60000 ms for …" in the error's message. @default "a condition" */
  readonly what?: string;
}

/** Truthy results of a condition. */
export type Truthy<T> = Exclude<T, false | 0 | 0n | "" | null | undefined>;

/**
 * Polls a condition until it returns a truthy value without throwing, and resolves with that value.
 *
 * @throws TESTING_TIMEOUT with the last result; the last error is the cause. An attempt that never ends is abandoned at the timeout
 */
export const waitFor = async <T>(
  condition: () => Awaitable<T>,
  { timeoutMs = 60_000, intervalMs = 10, what = "a condition" }: WaitOptions = {},
): Promise<Truthy<T>> => {
  let last: { readonly result: string; readonly error?: unknown } = {
    result: "the first attempt did not end",
  };
  const late = () =>
    testingError("TESTING_TIMEOUT", `waited ${timeoutMs} ms for ${what}: ${last.result}`, last.error);
  return inTime(timeoutMs, late, async (deadline) => {
    for (;;) {
      try {
        const value = await unlessAborted(Promise.try(condition), deadline);
        if (value) return value as Truthy<T>; // truthy by the condition of this line
        last = { result: `the last attempt returned ${String(value)}` };
      } catch (error) {
        deadline.throwIfAborted();
        last = { result: `the last attempt threw: ${reasonOf(error)}`, error };
      }
      await unlessAborted(pause(intervalMs, undefined, { ref: false }), deadline);
    }
  });
};
