import type { Awaitable } from "@framework/core";

/** Decides how many of `wanted` items of a queue may be claimed now, such as by a rate limit. Called before each claim, while there may be ready items. */
export type Admission = (wanted: number) => Awaitable<AdmissionResult>;

/** Permits to claim items. */
export interface AdmissionResult {
  /** Number of items that may be claimed, at most `wanted`. */
  readonly permits: number;
  /** Milliseconds until the next call if there are fewer permits than wanted, at most an hour. 0 calls again at once, or after 1 ms if there is no permit. */
  readonly retryInMs: number;
  /** Gives back permits for which no item was found, or whose claim failed. */
  giveBack(count: number): Promise<void>;
}

/** Admits everything, synchronously, so that the claim shares a commit with the outcomes of the same turn of the event loop. */
export const admitAll: Admission = (wanted) => ({ permits: wanted, retryInMs: 0, async giveBack() {} });
