import type { Logger } from "../../log/logger.ts";
import type { Runnable } from "../../lifecycle/runnable.ts";

/** The transport as shutdown sees it. */
export interface Drainable {
  /** Stops accepting and says `Connection: close` on every further reply. */
  drain(): void;
  /** Resolves when no connection is left; at the deadline cuts those that are and tells how many. */
  close(deadlineMs: number): Promise<{ readonly cut: number }>;
}

/** How long a drain may take. */
export interface ShutdownLimits {
  /** From readiness 503 to the end of accepting. */
  readonly readinessDelayMs: number;
  /** For everything, the delay included. */
  readonly timeoutMs: number;
}

/** How it ended; a service that was cut or whose stop tasks were late did not stop cleanly. */
export interface ShutdownResult {
  /** Connections that were still in use at the deadline. */
  readonly cut: number;
  /** Whether the stop tasks were still running at the deadline. */
  readonly late: boolean;
}

/** Whether everything in flight was finished and every stop task ended in time. */
export const isClean = ({ cut, late }: ShutdownResult): boolean => cut === 0 && !late;

/**
 * Stops a serving app in order: readiness 503, the delay, no more connections, what is in flight, then the stop tasks.
 *
 * A tenth of the time, 2 s at most, is kept for the stop tasks: pools are closed and spans flushed even after clients had to be cut.
 */
export const shutDown = async (
  app: Pick<Runnable, "drain" | "stop">,
  transport: Drainable,
  { readinessDelayMs, timeoutMs }: ShutdownLimits,
  log: Logger,
): Promise<ShutdownResult> => {
  const deadline = performance.now() + timeoutMs;
  const left = (kept: number): number => Math.max(0, deadline - performance.now() - kept);
  app.drain();
  if (readinessDelayMs > 0) await pause(Math.min(readinessDelayMs, timeoutMs));
  transport.drain();
  const { cut } = await transport.close(left(Math.min(2000, timeoutMs / 10)));
  if (cut > 0) log.error("the drain passed its deadline; connections were cut", { cut });
  const late = await isLate(stopped(app, log), left(0));
  if (late) log.error("the drain passed its deadline; shutdown tasks were still running");
  return { cut, late };
};

/** Readiness must be seen to be 503 only where somebody probes it: in production with health checks. */
export const readinessDelayMs = (
  secs: number | undefined,
  env: string,
  needsReadinessDelay: boolean,
): number => (secs ?? (env === "production" && needsReadinessDelay ? 2 : 0)) * 1000;

/** Whether a promise is still open after `ms`. */
export const isLate = async (done: Promise<unknown>, ms: number): Promise<boolean> => {
  const { promise: expired, resolve } = Promise.withResolvers<true>();
  const timer = setTimeout(resolve, ms, true);
  try {
    return await Promise.race([done.then(() => false), expired]);
  } finally {
    clearTimeout(timer);
  }
};

/** Resolves after `ms`. */
export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

const stopped = async (app: Pick<Runnable, "stop">, log: Logger): Promise<void> => {
  try {
    await app.stop();
  } catch (error) {
    log.error("the application did not stop cleanly", { error });
  }
};
