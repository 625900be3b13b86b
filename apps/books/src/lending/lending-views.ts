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
 * Refuses a number of rebuilds that leaves a live view out: no process with this setting would keep it up to date.
 *
 * @throws ConfigurationError BOOKS_WRONG_REBUILD
 */
export const checkRebuilds = (rebuilds: number, views: readonly ProjectionStatus[]): void => {
  const live = views.filter(({ status }) => status === "live").map(({ version }) => version);
  if (live.length === 0) return;
  const [made, next] = [Math.max(...live) - 1, Math.min(...live)]; // views go live one after the other
  if (rebuilds >= made && rebuilds <= next) return;
  const allowed = [...new Set([made, next])].join(" or ");
  const message = `BOOKS_REBUILD is ${rebuilds}, but the live lending views were rebuilt ${made} times; set it to ${allowed}`;
  throw new ConfigurationError([{ code: "BOOKS_WRONG_REBUILD", message }]);
};
