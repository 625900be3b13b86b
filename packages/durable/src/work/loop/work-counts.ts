/** What became of attempts, as metrics name it. */
export type AttemptOutcome = "done" | "retried" | "failed" | "parked" | "cancelled" | "lost" | "released";

/** Counts of one queue in this process. */
export interface WorkCounts {
  readonly outcomes: Readonly<Record<AttemptOutcome, number>>;
  /** Attempts that reached their limit. */
  readonly timeouts: number;
  /** Writes that were refused, because the item was not held any more. */
  readonly staleWrites: number;
}

/** Counts of one queue, from zero. */
export class CountedWork implements WorkCounts {
  readonly outcomes: Record<AttemptOutcome, number> = {
    done: 0,
    retried: 0,
    failed: 0,
    parked: 0,
    cancelled: 0,
    lost: 0,
    released: 0,
  };
  timeouts = 0;
  staleWrites = 0;
}
