import type { Clock } from "@framework/core/feature";

/** How one request ended: with a status, or with the code of a network error. */
export type Ending = number | string;

/** Results of one stage at one rate. */
export interface Stage {
  /** Requests per second that were due. */
  readonly offered: number;
  /** Requests per second that were answered in the stage. */
  readonly answered: number;
  readonly requests: number;
  /** Requests with a status of 500 or more, a network error or without an answer. */
  readonly failures: number;
  /** Milliseconds from the time that a request was due to the end of its reply. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** What a stage needs. */
export interface StageOptions {
  /** Sends one request; never rejects. */
  readonly send: () => Promise<Ending>;
  readonly ratePerSec: number;
  readonly seconds: number;
  readonly clock: Pick<Clock, "now" | "after">;
  /** Requests that are under way at once at most; further ones wait, and their wait counts. @default 2000 */
  readonly maxPending?: number;
  /** Seconds that requests have after the stage; then they count as failures. @default 5 */
  readonly patienceSecs?: number;
}

/**
 * Sends requests at a fixed rate, whether or not earlier ones are answered.
 *
 * A request is measured from the time at which it was due. A service that stands still for a second is thus charged with all requests of that second,
 * which a client that waits for each answer would not have sent (coordinated omission).
 */
export const runStage = async ({
  send,
  ratePerSec,
  seconds,
  clock,
  maxPending = 2000,
  patienceSecs = 5,
}: StageOptions): Promise<Stage> => {
  const total = Math.max(1, Math.round(ratePerSec * seconds));
  const begun = clock.now();
  const latencies: number[] = [];
  let [sent, pending, failures, inStage] = [0, 0, 0, 0];
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const dueAt = (index: number): number => begun + (index * 1000) / ratePerSec;
  const endOfStage = begun + seconds * 1000;

  const finish = (index: number, ending: Ending): void => {
    const now = clock.now();
    pending--;
    latencies.push(now - dueAt(index));
    if (typeof ending === "string" || ending >= 500) failures++;
    else if (now <= endOfStage) inStage++;
    sendDue();
    if (sent === total && pending === 0) resolve();
  };
  const sendDue = (): void => {
    while (sent < total && pending < maxPending && dueAt(sent) <= clock.now()) {
      const index = sent++;
      pending++;
      void send().then((ending) => finish(index, ending));
    }
  };
  const tick = (): void => {
    sendDue();
    if (sent < total && clock.now() < endOfStage) cancel = clock.after(1, tick);
  };
  let cancel = clock.after(0, tick);
  const cancelPatience = clock.after((seconds + patienceSecs) * 1000, resolve);
  await done;
  cancel();
  cancelPatience();
  const unanswered = total - latencies.length;
  const waited = Array.from({ length: unanswered }, (_, at) => clock.now() - dueAt(latencies.length + at));
  const sorted = [...latencies, ...waited].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return {
    offered: ratePerSec,
    answered: inStage / seconds,
    requests: total,
    failures: failures + unanswered,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
  };
};
