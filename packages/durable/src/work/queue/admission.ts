import type { Awaitable } from "@framework/core";

/** Decides how many of `wanted` items of a queue may be claimed now: a rate limit, say. Asked before each claim, while there may be ready items. */
export type Admission = (wanted: number) => Awaitable<Admitted>;

/** Permits to claim items. */
export interface Admitted {
  /** Items that may be claimed, at most as many as were wanted. */
  readonly permits: number;
  /** Milliseconds until there may be more permits, when there are fewer than were wanted, at most an hour; 0 to be asked again at once, unless there were none. */
  readonly retryInMs: number;
  /** Returns permits that no item was found for, or whose claim failed. */
  giveBack(count: number): Promise<void>;
}

/** Admits everything, at once: the claim then shares a commit with the outcomes of the same turn of the event loop. */
export const admitAll: Admission = (wanted) => ({ permits: wanted, retryInMs: 0, async giveBack() {} });
