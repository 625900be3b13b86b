import { setTimeout as pause } from "node:timers/promises";
import { testingError } from "./errors.ts";
import { inTime, unlessAborted } from "./in-time.ts";

/** Requests per worker in each round. */
const REQUESTS = 4;
/** Milliseconds between two rounds. */
const PAUSE_MS = 10;

/** Options of `requestEveryWorker`. */
export interface RequestEveryWorkerOptions<T> {
  /** Number of workers that must reply. */
  readonly workers: number;
  /** Sends one request on a new connection, because a connection belongs to one worker. */
  readonly send: () => Promise<T>;
  /** Returns the process id of the worker that sent a reply; `NaN` if unknown. */
  readonly pidOf: (reply: T) => number;
  /** Timeout in milliseconds. @default 60_000 */
  readonly timeoutMs?: number;
}

/**
 * Sends concurrent requests until every worker of a service has replied, and resolves with all replies.
 *
 * The operating system decides which worker accepts a connection, so no fixed number of requests is certain to reach every worker.
 *
 * @throws the error of the first request that fails; TESTING_TIMEOUT with the number of workers that have replied
 * @example
 * const send = () => program.client.get("/pid", { headers: { connection: "close" } });
 * const replies = await requestEveryWorker({ workers: 4, send, pidOf: ({ text }) => Number(text) });
 */
export const requestEveryWorker = async <T>({
  workers,
  send,
  pidOf,
  timeoutMs = 60_000,
}: RequestEveryWorkerOptions<T>): Promise<T[]> => {
  const replies: T[] = [];
  const pids = new Set<number>();
  const timeoutError = (): Error =>
    testingError(
      "TESTING_TIMEOUT",
      `waited ${timeoutMs} ms for replies of ${workers} workers: ${replies.length} replies came from ${pids.size}`,
    );
  return inTime(timeoutMs, timeoutError, async (deadline) => {
    for (;;) {
      const round = Promise.all(Array.from({ length: REQUESTS * workers }, () => send()));
      for (const reply of await unlessAborted(round, deadline)) {
        replies.push(reply);
        const pid = pidOf(reply);
        if (pid > 0) pids.add(pid);
      }
      if (pids.size >= workers) return replies;
      await unlessAborted(pause(PAUSE_MS, undefined, { ref: false }), deadline);
    }
  });
};
