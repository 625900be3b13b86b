import { isLate } from "../../lifecycle/deadline.ts";
import { keptAlive } from "../../lifecycle/kept-alive.ts";
import type { Logger } from "../../log/logger.ts";
import type { Runnable } from "../../lifecycle/runnable.ts";

/** The transport's interface for shutdown. */
export interface Drainable {
  /** Connections accepted so far. */
  readonly accepted: number;
  /** Stops accepting and sends `Connection: close` with every further reply. */
  drain(): void;
  /** Resolves when no connection is open; at the deadline it cuts the rest and counts them. */
  close(deadlineMs: number): Promise<{ readonly cut: number }>;
}

/** Time limits of a drain. */
export interface ShutdownLimits {
  /** From readiness 503 to the end of accepting. */
  readonly readinessDelayMs: number;
  /** For the whole drain, delay included. */
  readonly timeoutMs: number;
}

/** Result of a drain. */
export interface ShutdownResult {
  /** Connections that were still in use at the deadline. */
  readonly cut: number;
  /** Whether drain listeners, background tasks, stop tasks or calls with dependencies were still running at their deadline. */
  readonly late: boolean;
}

/** Whether every pending request was finished and every listener and task ended in time. */
export const isClean = ({ cut, late }: ShutdownResult): boolean => cut === 0 && !late;

/** Milliseconds of a drain reserved for stop tasks, so that pools are closed even if connections had to be cut: a tenth, 2 s at most. */
export const reserveMs = (timeoutMs: number): number => Math.min(2000, timeoutMs / 10);

/**
 * Stops a serving app in order: readiness 503, the delay, no new connections, pending requests, then the stop tasks.
 *
 * Drain listeners start at the beginning, while requests are served; stop tasks wait for both.
 */
export const shutDown = (
  app: Pick<Runnable, "drain" | "endStreams" | "stop">,
  transport: Drainable,
  limits: ShutdownLimits,
  log: Logger,
): Promise<ShutdownResult> => keptAlive(() => drained(app, transport, limits, log));

const drained = async (
  app: Pick<Runnable, "drain" | "endStreams" | "stop">,
  transport: Drainable,
  { readinessDelayMs, timeoutMs }: ShutdownLimits,
  log: Logger,
): Promise<ShutdownResult> => {
  const deadline = performance.now() + timeoutMs;
  const remainingMs = (kept: number): number => Math.max(0, deadline - performance.now() - kept);
  const reserve = reserveMs(timeoutMs);
  const listeners = app.drain(remainingMs(reserve));
  if (readinessDelayMs > 0) await pause(Math.min(readinessDelayMs, timeoutMs));
  await queuedConnections(transport, remainingMs(reserve) / 2);
  transport.drain();
  app.endStreams();
  const [{ cut }, inTime] = await Promise.all([transport.close(remainingMs(reserve)), listeners]);
  if (cut > 0) log.error("the drain passed its deadline; connections were cut", { cut });
  const stopping = stopped(app, log);
  if (await isLate(stopping, remainingMs(0))) {
    log.error("the drain passed its deadline; shutdown tasks were still running");
    return { cut, late: true };
  }
  return { cut, late: !inTime || !(await stopping) };
};

/** Returns the readiness delay. By default 2 s in production with health checks, whose probes must see the 503, else 0. */
export const readinessDelayMs = (
  secs: number | undefined,
  env: string,
  needsReadinessDelay: boolean,
): number => (secs ?? (env === "production" && needsReadinessDelay ? 2 : 0)) * 1000;

/** Resolves after `ms`. */
export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Length of the queue of connections that no process has accepted yet, which is Node's default. */
export const MAX_QUEUE = 511;

/**
 * Resolves when the connections in the queues of the listeners have been accepted, after `limitMs` at the latest. Closing a listener resets the connections in its queue,
 * and after a pause of the process these may be many, with requests.
 *
 * A listener accepts one connection in each turn of the event loop; the first turn may end before the loop polls the sockets. Clients that keep
 * connecting cannot delay the stop: it waits for one full queue at most.
 */
export const queuedConnections = async (
  listeners: Pick<Drainable, "accepted">,
  limitMs: number,
): Promise<void> => {
  const end = performance.now() + limitMs;
  await nextTurn();
  for (let turn = 0; turn <= MAX_QUEUE; turn++) {
    const { accepted } = listeners;
    await nextTurn();
    if (listeners.accepted === accepted || performance.now() > end) return;
  }
};

/** Resolves when the event loop has polled its sockets. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

const stopped = async (app: Pick<Runnable, "stop">, log: Logger): Promise<boolean> => {
  try {
    return await app.stop();
  } catch (error) {
    log.error("the application did not stop cleanly", { error });
    return true;
  }
};
