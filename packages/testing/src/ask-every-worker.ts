import { setTimeout as pause } from "node:timers/promises";
import { testingError } from "./errors.ts";
import { inTime, unlessAborted } from "./in-time.ts";

/** Requests per worker in each round. */
const REQUESTS = 4;
/** Milliseconds between two rounds. */
const PAUSE_MS = 10;

/** Options of `askEveryWorker`. */
export interface AskEveryWorkerOptions<T> {
  /** Number of workers that must answer. */
  readonly workers: number;
  /** Sends one request on a new connection, because a connection belongs to one worker. */
  readonly ask: () => Promise<T>;
  /** Process id of the worker that gave an answer; `NaN` if unknown. */
  readonly pidOf: (answer: T) => number;
  /** Timeout in milliseconds. @default 60_000 */
  readonly timeoutMs?: number;
}

/**
 * Sends concurrent requests until every worker of a service has answered, and resolves with all answers.
 *
 * The operating system decides which worker accepts a connection, so no fixed number of requests is certain to reach every worker.
 *
 * @throws the error of a request, at once; TESTING_TIMEOUT with the number of workers that have answered
 * @example
 * const ask = () => program.client.get("/pid", { headers: { connection: "close" } });
 * const replies = await askEveryWorker({ workers: 4, ask, pidOf: ({ text }) => Number(text) });
 */
export const askEveryWorker = async <T>({
  workers,
  ask,
  pidOf,
  timeoutMs = 60_000,
}: AskEveryWorkerOptions<T>): Promise<T[]> => {
  const answers: T[] = [];
  const pids = new Set<number>();
  const late = (): Error =>
    testingError(
      "TESTING_TIMEOUT",
      `waited ${timeoutMs} ms for answers of ${workers} workers: ${answers.length} answers came from ${pids.size}`,
    );
  return inTime(timeoutMs, late, async (deadline) => {
    for (;;) {
      const round = Promise.all(Array.from({ length: REQUESTS * workers }, () => ask()));
      for (const answer of await unlessAborted(round, deadline)) {
        answers.push(answer);
        const pid = pidOf(answer);
        if (pid > 0) pids.add(pid);
      }
      if (pids.size >= workers) return answers;
      await unlessAborted(pause(PAUSE_MS, undefined, { ref: false }), deadline);
    }
  });
};
