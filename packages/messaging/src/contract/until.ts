import { setTimeout as pause } from "node:timers/promises";

/** Longest wait of a fact: other work may use the machine. */
let limitMs = 60_000;

/** Shortens the waits of facts that are expected to fail. Returns what restores them. */
export const shortenWaits = (ms: number): (() => void) => {
  const before = limitMs;
  limitMs = ms;
  return () => {
    limitMs = before;
  };
};

/** Waits until a condition holds; `what` names it in the error. */
export const until = async (
  what: string,
  holds: () => boolean | Promise<boolean>,
  mostMs: number = limitMs,
): Promise<void> => {
  for (const end = performance.now() + mostMs; !(await holds()); await pause(3))
    if (performance.now() > end) throw new Error(`waited ${mostMs} ms for ${what}`);
};

/** Lets some time pass in which something must not happen. A fact that waits too short can only pass by mistake, never fail. */
export const quietly = (ms = 60): Promise<void> => pause(ms);
