import { ConfigurationError } from "@framework/core";
import type { Projection, ProjectionStatus } from "@framework/event-sourcing";
import { openLoansView } from "./open-loans.ts";
import { statisticsView } from "./statistics.ts";

/**
 * Returns the lending projections in the versions that this process maintains: `rebuilds`, if above 0, and `rebuilds + 1`. The newer version is built
 * from all events into its own tables. When it goes live it replaces the older one, which is kept up to date until then.
 *
 * @param autoLive whether a version becomes live automatically when it has caught up
 */
export const lendingViews = (rebuilds: number, autoLive = true): readonly Projection[] =>
  [rebuilds, rebuilds + 1]
    .filter((version) => version > 0)
    .flatMap((version) => [openLoansView(version, autoLive), statisticsView(version, autoLive)]);

/**
 * Checks that `lendingViews(rebuilds)` includes the version of every live view: otherwise no process with this setting would keep that view up to date.
 *
 * @throws ConfigurationError BOOKS_INVALID_REBUILD
 */
export const checkRebuilds = (rebuilds: number, views: readonly ProjectionStatus[]): void => {
  const live = views.filter(({ status }) => status === "live").map(({ version }) => version);
  if (live.length === 0) return;
  const [current, next] = [Math.max(...live) - 1, Math.min(...live)]; // views go live one after the other
  if (rebuilds >= current && rebuilds <= next) return;
  const allowed = [...new Set([current, next])].join(" or ");
  const times = current === 1 ? "once" : `${current} times`;
  const message = `BOOKS_REBUILD is ${rebuilds}, but the live lending views were rebuilt ${times}; set it to ${allowed}`;
  throw new ConfigurationError([{ code: "BOOKS_INVALID_REBUILD", message }]);
};
