import type { Clock } from "@framework/core/feature";

/** Result of one request: its status, or the code of a network error. */
export type RequestOutcome = number | string;

/** Results of one stage at one rate. */
export interface Stage {
  /** Rate at which requests were due, per second. */
  readonly offered: number;
  /** Replies with a status below 500 per second within the stage. */
  readonly answered: number;
  readonly requests: number;
  /** Requests with a status of 500 or more, with a network error, or without a reply. */
  readonly failures: number;
  /** Latency percentiles in milliseconds, from the time at which a request was due to the end of its reply; for a missing reply, to the end of the wait. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Options of `runStage`. */
export interface StageOptions {
  /** Sends one request; never rejects. */
  readonly send: () => Promise<RequestOutcome>;
  readonly ratePerSec: number;
  readonly seconds: number;
  readonly clock: Pick<Clock, "now" | "after">;
  /** Maximum concurrent requests; further ones wait, and their wait is measured. @default 2000 */
  readonly maxPending?: number;
  /** Seconds to wait for replies after the stage; missing ones count as failures. @default 5 */
  readonly graceSecs?: number;
}

/**
 * Sends requests at a fixed rate, without waiting for earlier replies.
 *
 * Latency is measured from the time at which a request was due. A stall of a second thus counts for all requests of that second,
 * which a client that waits for each reply would not have sent (coordinated omission).
 */
export const runStage = async ({
  send,
  ratePerSec,
  seconds,
  clock,
  maxPending = 2000,
  graceSecs = 5,
}: StageOptions): Promise<Stage> => {
  const total = Math.max(1, Math.round(ratePerSec * seconds));
  const startMs = clock.now();
  const latencies = new Map<number, number>(); // by the index of the request
  let [sent, pending, failures, inStage, isOver] = [0, 0, 0, 0, false];
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const dueAt = (index: number): number => startMs + (index * 1000) / ratePerSec;
  const endOfStage = startMs + seconds * 1000;

  const finish = (index: number, outcome: RequestOutcome): void => {
    const now = clock.now();
    pending--;
    latencies.set(index, now - dueAt(index));
    if (typeof outcome === "string" || outcome >= 500) failures++;
    else if (now <= endOfStage) inStage++;
    sendDue();
    if (sent === total && pending === 0) resolve();
  };
  const sendDue = (): void => {
    while (!isOver && sent < total && pending < maxPending && dueAt(sent) <= clock.now()) {
      const index = sent++;
      pending++;
      void send().then((outcome) => finish(index, outcome));
    }
  };
  const tick = (): void => {
    sendDue();
    if (sent < total && clock.now() < endOfStage) cancel = clock.after(1, tick);
  };
  let cancel = clock.after(0, tick);
  const cancelGrace = clock.after((seconds + graceSecs) * 1000, resolve);
  await done;
  isOver = true; // a late reply must not send requests during the next stage
  cancel();
  cancelGrace();
  const endMs = clock.now();
  const sorted = Array.from({ length: total }, (_, index) => latencies.get(index) ?? endMs - dueAt(index));
  sorted.sort((a, b) => a - b);
  const percentile = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return {
    offered: ratePerSec,
    answered: inStage / seconds,
    requests: total,
    failures: failures + total - latencies.size,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    maxMs: percentile(1),
  };
};
