import { setTimeout as pause } from "node:timers/promises";

/** Maximum wait; generous, because the machine may be busy. */
const LIMIT_MS = 60_000;

/** Waits for a value. @param subject names the value in the error */
export const until = async <T>(subject: string, find: () => Promise<T | null>): Promise<T> => {
  for (const end = performance.now() + LIMIT_MS; performance.now() < end; await pause(15)) {
    const found = await find();
    if (found !== null) return found;
  }
  throw new Error(`waited ${LIMIT_MS} ms for ${subject}`);
};
