import type { StoreBase } from "../base/store-base.ts";
import { toPosition } from "../events/position.ts";

/** Says that the store ends before what this process has read: the database is an older copy, after a failover or from a backup. */
export const logReturn = ({ log }: StoreBase, from: number, to: number): void =>
  log.error(
    "event-sourcing: the store went back to an older state; events were lost, and readers go on after what is left",
    { readTo: toPosition(from), goesOnAfter: toPosition(to) },
  );
