import type { Clock } from "@framework/core/feature";
import { type Kernel, pause } from "@framework/durable/feature";
import type { StoreBase } from "../base/store-base.ts";
import { archiveExpired } from "./archive-expired.ts";

const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 3_600_000;

/** Archives streams without a new event for `ttlSecs`, in one process at a time. Runs every `ttlSecs / 10`, but at least hourly and at most once a second. */
export const archiveInLane = (kernel: Kernel, base: StoreBase, ttlSecs: number, clock: Clock): void => {
  const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, ttlSecs * 100));
  kernel.lanes({
    kind: "event-archive",
    count: 1,
    run: async ({ signal }) => {
      while (!signal.aborted) {
        await archiveExpired(base, ttlSecs, signal);
        await pause(clock, pauseMs, signal);
      }
    },
  });
};
