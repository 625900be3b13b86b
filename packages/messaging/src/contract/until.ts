import { setTimeout as pause } from "node:timers/promises";

/** Longest wait of a fact in milliseconds; high, because the machine may be busy. */
let limitMs = 60_000;

/** Shortens the waits of facts that are expected to fail. Returns a function that restores them. */
export const shortenWaits = (ms: number): (() => void) => {
  const before = limitMs;
  limitMs = ms;
  return () => {
    limitMs = before;
  };
};

/** Waits until a condition holds. @param subject names the condition in the error */
export const until = async (
  subject: string,
  isTrue: () => boolean | Promise<boolean>,
  maxMs: number = limitMs,
): Promise<void> => {
  for (const end = performance.now() + maxMs; !(await isTrue()); await pause(3))
    if (performance.now() > end) throw new Error(`waited ${maxMs} ms for ${subject}`);
};

/** Waits a while in which something must not happen. A wait that is too short can make a fact pass by mistake, but never fail. */
export const shortPause = (ms = 60): Promise<void> => pause(ms);
