/** Calls `run` once after `delayMs` milliseconds unless the returned function is called before. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

/** Schedules on the runtime's timers, which do not keep the process alive where the runtime can tell (Node, Bun, Deno). */
export const systemSchedule: Schedule = (run, delayMs) => {
  const timer: unknown = setTimeout(run, delayMs);
  if (hasUnref(timer)) timer.unref();
  return () => clearTimeout(timer as ReturnType<typeof setTimeout>);
};

const hasUnref = (timer: unknown): timer is { unref(): void } =>
  typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function";
