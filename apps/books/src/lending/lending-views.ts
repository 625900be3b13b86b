import { ConfigurationError } from "@framework/core";
import type { Projection, ProjectionStatus } from "@framework/event-sourcing";
import { openLoansView } from "./open-loans.ts";
import { statisticsView } from "./statistics.ts";

/**
 * The projections of the loan events, in their versions. Each rebuild adds a version: it is built from all events in its own tables, and replaces
 * the previous version after it has caught up. Until then the previous version must be kept up to date.
 *
 * @param autoLive whether a version becomes live automatically when it has caught up
 */
export const lendingViews = (rebuilds: number, autoLive = true): readonly Projection[] =>
  [rebuilds, rebuilds + 1]
    .filter((version) => version > 0)
    .flatMap((version) => [openLoansView(version, autoLive), statisticsView(version, autoLive)]);

/**
 * Checks that the number of rebuilds includes every live view: otherwise no process with this setting would keep it up to date.
 *
 * @throws ConfigurationError BOOKS_INVALID_REBUILD
 */
export const checkRebuilds = (rebuilds: number, views: readonly ProjectionStatus[]): void => {
  const live = views.filter(({ status }) => status === "live").map(({ version }) => version);
  if (live.length === 0) return;
  const [current, next] = [Math.max(...live) - 1, Math.min(...live)]; // views go live one after the other
  if (rebuilds >= current && rebuilds <= next) return;
  const allowed = [...new Set([current, next])].join(" or ");
  const message = `BOOKS_REBUILD is ${rebuilds}, but the live lending views were rebuilt ${current} times; set it to ${allowed}`;
  throw new ConfigurationError([{ code: "BOOKS_INVALID_REBUILD", message }]);
};
