import { timesOut } from "../../lifecycle/deadline.ts";
import { keepAliveDuring } from "../../lifecycle/keep-alive-during.ts";
import type { Logger } from "../../log/logger.ts";
import type { Runnable } from "../../lifecycle/runnable.ts";

/** A transport that can be drained. */
export interface Drainable {
  /** Connections accepted so far. */
  readonly accepted: number;
  /** Stops accepting and sends `Connection: close` with every further reply. */
  drain(): void;
  /** Resolves when no connection is open; at the deadline it cuts the rest and counts the work that was lost. */
  close(deadlineMs: number): Promise<{ readonly cut: number }>;
}

/** Time limits of a drain. */
export interface ShutdownLimits {
  /** Milliseconds from readiness 503 until no connection is accepted. */
  readonly readinessDelayMs: number;
  /** Milliseconds for the whole drain, delay included. */
  readonly timeoutMs: number;
}

/** Result of a drain. */
export interface ShutdownResult {
  /** Number of requests that were cut at the deadline, and of connections and calls that the protocols of features cut. */
  readonly cut: number;
  /** Whether drain listeners, background tasks, stop tasks or calls with dependencies were still running at their deadline. */
  readonly late: boolean;
}

/** Whether every pending request was finished and every listener and task ended in time. */
export const isClean = ({ cut, late }: ShutdownResult): boolean => cut === 0 && !late;

/** Milliseconds of a drain that are reserved for stop tasks, so that pools are closed even if connections had to be cut: a tenth, at most 2 s. */
export const reserveMs = (timeoutMs: number): number => Math.min(2000, timeoutMs / 10);

/**
 * Stops a serving app in steps: readiness 503, the delay, no new connections, the end of pending requests, then the stop tasks.
 *
 * Drain listeners start at the beginning, while requests are served; stop tasks wait for the drain listeners and the requests.
 */
export const shutDown = (
  app: Pick<Runnable, "drain" | "endStreams" | "stop">,
  transport: Drainable,
  limits: ShutdownLimits,
  log: Logger,
): Promise<ShutdownResult> => keepAliveDuring(() => drainAndStop(app, transport, limits, log));

const drainAndStop = async (
  app: Pick<Runnable, "drain" | "endStreams" | "stop">,
  transport: Drainable,
  { readinessDelayMs, timeoutMs }: ShutdownLimits,
  log: Logger,
): Promise<ShutdownResult> => {
  const deadline = performance.now() + timeoutMs;
  const remainingMs = (reservedMs: number): number => Math.max(0, deadline - performance.now() - reservedMs);
  const reserve = reserveMs(timeoutMs);
  const listeners = app.drain(remainingMs(reserve));
  if (readinessDelayMs > 0) await pause(Math.min(readinessDelayMs, remainingMs(reserve)));
  await acceptQueued(transport, remainingMs(reserve) / 2);
  transport.drain();
  app.endStreams();
  const [{ cut }, inTime] = await Promise.all([transport.close(remainingMs(reserve)), listeners]);
  if (cut > 0) log.error("the drain passed its deadline; connections were cut", { cut });
  const stopping = stopApp(app, log);
  if (await timesOut(stopping, remainingMs(0))) {
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

/** Maximum length of a listener's queue of unaccepted connections, Node's default. */
export const MAX_QUEUE = 511;

/**
 * Resolves when the connections in the queues of the listeners have been accepted, or after `limitMs`. Closing a listener would reset the connections in its
 * queue; after a pause of the process there may be many of them, with requests.
 *
 * A listener accepts one connection in each turn of the event loop; the first turn may end before the loop polls the sockets. Clients that continue to connect
 * cannot delay the stop, which waits for at most one full queue.
 */
export const acceptQueued = async (
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

const stopApp = async (app: Pick<Runnable, "stop">, log: Logger): Promise<boolean> => {
  try {
    return await app.stop();
  } catch (error) {
    log.error("the application did not stop cleanly", { error });
    return true;
  }
};
