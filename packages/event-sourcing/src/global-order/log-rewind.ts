import type { StoreBase } from "../base/store-base.ts";
import { toPosition } from "../events/position.ts";

/** Logs that the store was restored to an older state, by a failover or from a backup: it lacks events that this process has read. */
export const logRewind = ({ log }: StoreBase, from: number, to: number): void =>
  log.error(
    "event-sourcing: the store was restored to an older state; events were lost, and readers resume after the remaining ones",
    { readTo: toPosition(from), resumesAfter: toPosition(to) },
  );
