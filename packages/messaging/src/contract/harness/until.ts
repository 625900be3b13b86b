import { setTimeout as pause } from "node:timers/promises";

/** Default timeout of `until` in milliseconds; high, because the machine may be busy. */
let defaultTimeoutMs = 60_000;

/** Shortens the default timeout of `until`, for tests that are expected to fail. Returns a function that restores it. */
export const shortenWaits = (ms: number): (() => void) => {
  const before = defaultTimeoutMs;
  defaultTimeoutMs = ms;
  return () => {
    defaultTimeoutMs = before;
  };
};

/** Waits until a condition is true. @param subject names the condition in the error. @throws Error on timeout */
export const until = async (
  subject: string,
  isTrue: () => boolean | Promise<boolean>,
  maxMs: number = defaultTimeoutMs,
): Promise<void> => {
  for (const end = performance.now() + maxMs; !(await isTrue()); await pause(3))
    if (performance.now() > end) throw new Error(`waited ${maxMs} ms for ${subject}`);
};

/** Waits briefly, so that a test can check that something does not happen. Too short a pause can hide a fault, but never fails a correct broker. */
export const shortPause = (ms = 60): Promise<void> => pause(ms);
