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
  /** Subject of the wait in the error's message, after "waited 60000 ms for". @default "a condition" */
  readonly subject?: string;
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
  { timeoutMs = 60_000, intervalMs = 10, subject = "a condition" }: WaitOptions = {},
): Promise<Truthy<T>> => {
  let last: { readonly result: string; readonly error?: unknown } = {
    result: "the first attempt did not end",
  };
  const timeoutError = () =>
    testingError("TESTING_TIMEOUT", `waited ${timeoutMs} ms for ${subject}: ${last.result}`, last.error);
  return inTime(timeoutMs, timeoutError, async (deadline) => {
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
