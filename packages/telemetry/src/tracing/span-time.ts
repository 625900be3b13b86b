import type { HrTime, TimeInput } from "@opentelemetry/api";

/** Returns Unix milliseconds as seconds and nanoseconds. */
export const hrTimeOf = (date: number): HrTime => {
  const seconds = Math.trunc(date / 1000);
  return [seconds, Math.trunc((date - seconds * 1000) * 1_000_000)];
};

/** Converts a time from the program: a date, Unix milliseconds, milliseconds of `performance.now()`, or seconds and nanoseconds. */
export const timeOf = (given: TimeInput): HrTime => {
  if (Array.isArray(given)) return given;
  if (typeof given !== "number") return hrTimeOf(given.getTime());
  return hrTimeOf(given < performance.timeOrigin ? performance.timeOrigin + given : given);
};

/** Returns a clock of monotonic milliseconds. `performance` is read once, because Node's global `performance` is a getter, as slow as reading the time. */
export const processTime = (): (() => number) => {
  const { performance: own } = globalThis;
  return () => own.now();
};
