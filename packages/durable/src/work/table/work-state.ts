/** State of an unfinished item: not due yet, claimable, blocked by an earlier item of its key, or claimed by a process. */
export type UnfinishedState = "waiting" | "ready" | "blocked" | "running";

/** State of a finished item. */
export type FinishedState = "done" | "failed" | "parked" | "cancelled";

/** State of an item. */
export type WorkState = UnfinishedState | FinishedState;

/** All states, in the order of an item's life. */
export const workStates: readonly WorkState[] = [
  "waiting",
  "ready",
  "blocked",
  "running",
  "done",
  "failed",
  "parked",
  "cancelled",
];

const finished: ReadonlySet<WorkState> = new Set<FinishedState>(["done", "failed", "parked", "cancelled"]);

/** Whether items in a state have ended. */
export const isFinished = (state: WorkState): boolean => finished.has(state);
