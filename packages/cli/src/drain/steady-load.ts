import type { Clock } from "@framework/core/feature";
import type { RequestOutcome } from "../load/open-loop.ts";

/** Outcomes of the requests under a steady load. */
export interface LoadCounts {
  /** Replies with a status below 500. */
  answered: number;
  /** Replies with a status of 500 or more. */
  errors: number;
  /** Connections refused after the signal: the port was closed. */
  refused: number;
  /** Requests whose connection failed without a reply, or was refused before the signal. */
  dropped: number;
  /** Number of dropped requests by error code. */
  readonly codes: Record<string, number>;
}

/** A load at a fixed rate that lasts until it is stopped. */
export interface SteadyLoad {
  readonly counts: LoadCounts;
  /** Marks that the signal was sent: refused connections are expected from now on. */
  markSignalled(): void;
  /** Stops sending and resolves when every request has ended, or after `limitMs`, when the rest counts as dropped. */
  stop(limitMs: number): Promise<void>;
}

/** Maximum number of concurrent requests. */
const MAX_PENDING = 5000;

/** Sends requests at a fixed rate, without waiting for earlier replies. */
export const steadyLoad = (
  send: () => Promise<RequestOutcome>,
  ratePerSec: number,
  clock: Pick<Clock, "now" | "after">,
): SteadyLoad => {
  const counts: LoadCounts = {
    answered: 0,
    errors: 0,
    refused: 0,
    dropped: 0,
    codes: Object.create(null) as Record<string, number>,
  };
  const startMs = clock.now();
  let [sent, pending, isSignalled, isStopped] = [0, 0, false, false];
  let onIdle = (): void => {};
  const onEnd = (outcome: RequestOutcome): void => {
    pending--;
    if (typeof outcome === "number") counts[outcome >= 500 ? "errors" : "answered"]++;
    else if (outcome === "ECONNREFUSED" && isSignalled) counts.refused++;
    else {
      counts.dropped++;
      counts.codes[outcome] = (counts.codes[outcome] ?? 0) + 1;
    }
    if (isStopped && pending === 0) onIdle();
  };
  const tick = (): void => {
    if (isStopped) return;
    while (pending < MAX_PENDING && startMs + (sent * 1000) / ratePerSec <= clock.now()) {
      sent++;
      pending++;
      void send().then(onEnd);
    }
    clock.after(1, tick);
  };
  tick();
  return {
    counts,
    markSignalled: () => void (isSignalled = true),
    stop: async (limitMs) => {
      isStopped = true;
      if (pending === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      onIdle = resolve;
      const cancel = clock.after(limitMs, resolve);
      await promise;
      cancel();
      if (pending === 0) return;
      counts.dropped += pending;
      counts.codes["no reply"] = pending;
    },
  };
};
