/** Outcome of an attempt: a label of the metrics. */
export type AttemptOutcome = "done" | "retried" | "failed" | "parked" | "cancelled" | "lost" | "released";

/** Counters of one queue in this process. */
export interface WorkCounts {
  readonly outcomes: Readonly<Record<AttemptOutcome, number>>;
  /** Attempts that reached their time limit. */
  readonly timeouts: number;
  /** Writes refused because the item was no longer held. */
  readonly staleWrites: number;
}

/** The counters, for the class that increments them. */
export class MutableWorkCounts implements WorkCounts {
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
