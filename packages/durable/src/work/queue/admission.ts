/** Decides how many of `wanted` items of a queue may be claimed now: a rate limit, say. Asked before each claim, while there may be ready items. */
export type Admission = (wanted: number) => Promise<Admitted>;

/** Permits to claim items. */
export interface Admitted {
  /** Items that may be claimed, at most as many as were wanted. */
  readonly permits: number;
  /** Milliseconds until there may be more permits, when there are fewer than were wanted. */
  readonly retryInMs: number;
  /** Returns permits that no item was found for. */
  giveBack(count: number): Promise<void>;
}

/** Admits everything. */
export const admitAll: Admission = async (wanted) => ({ permits: wanted, retryInMs: 0, async giveBack() {} });
