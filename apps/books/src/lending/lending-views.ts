import { ConfigurationError } from "@framework/core";
import type { Projection, ProjectionStatus } from "@framework/event-sourcing";
import { shelfView } from "./shelf.ts";
import { statisticsView } from "./statistics.ts";

/**
 * The views of the ledger. A rebuild is a higher version: it is made of all events in tables of its own, and takes the place of the one before when it
 * has caught up. Until then that one must be kept up to date.
 *
 * @param autoLive whether it does so alone
 */
export const lendingViews = (rebuilds: number, autoLive = true): readonly Projection[] =>
  [rebuilds, rebuilds + 1]
    .filter((version) => version > 0)
    .flatMap((version) => [shelfView(version, autoLive), statisticsView(version, autoLive)]);

/**
 * Refuses a number of rebuilds below that of the live views, which no process with this setting would keep up to date.
 *
 * @throws ConfigurationError BOOKS_LOW_REBUILD
 */
export const checkRebuilds = (rebuilds: number, views: readonly ProjectionStatus[]): void => {
  const live = views.filter(({ status }) => status === "live").map(({ version }) => version);
  const made = Math.max(1, ...live) - 1;
  if (rebuilds >= made) return;
  const message = `BOOKS_REBUILD is ${rebuilds}, but the lending views were rebuilt ${made} times; set it to ${made} or more`;
  throw new ConfigurationError([{ code: "BOOKS_LOW_REBUILD", message }]);
};
