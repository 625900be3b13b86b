import type { Projection } from "@framework/event-sourcing";
import { shelfView } from "./shelf.ts";
import { statisticsView } from "./statistics.ts";

/**
 * The views of the ledger. A rebuild is a higher version: it is made of all events in tables of its own, and takes the place of the one before when it
 * has caught up. Until then that one must be kept up to date.
 */
export const lendingViews = (rebuilds: number): readonly Projection[] =>
  [rebuilds, rebuilds + 1]
    .filter((version) => version > 0)
    .flatMap((version) => [shelfView(version), statisticsView(version)]);
