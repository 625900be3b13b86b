import { NotFoundError } from "@framework/core";
import type { Panel } from "@framework/core/feature";
import { type Limit, shorten } from "./limit.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import type { SeenClients } from "./seen-clients.ts";

/** Returns the dev-page panel of the limits: their rules, counts and clients, and a reset. */
export const limitPanel = (
  limiter: Pick<RateLimiter, "limits" | "reset" | "storeErrors">,
  seen: SeenClients,
): Panel => {
  const find = (row: string | null): Limit => {
    const limit = limiter.limits.find((each) => shorten(each.name) === row);
    if (limit === undefined) throw new NotFoundError("There is no such limit");
    return limit;
  };
  return {
    name: "limits",
    title: "Limits",
    scope: "worker",
    read: () => ({
      note: `Clients are listed from their first request while a dev page is open; the store failed ${limiter.storeErrors} times`,
      columns: ["Limit", "Algorithm", "Requests", "Seconds", "Allowed", "Refused", "Clients seen"],
      rows: limiter.limits.map((limit) => ({
        id: shorten(limit.name),
        cells: [
          limit.name,
          limit.config.algorithm.replace("_", " "),
          limit.rule.capacity,
          limit.config.windowSecs,
          limit.counts.allowed,
          limit.counts.denied,
          seen.of(limit).length,
        ],
      })),
    }),
    details: (row) => [
      {
        title: "Clients, latest first",
        columns: ["Client", "Identified by", "Remaining", "Refused"],
        rows: seen.of(find(row)).map(({ client, keyClass, remaining, refused }) => ({
          id: `${keyClass} ${client}`,
          cells: [client, keyClass, remaining, refused],
        })),
      },
    ],
    actions: [
      {
        name: "reset",
        label: "Reset",
        on: "row",
        async run(row) {
          const limit = find(row);
          await limiter.reset(shorten(limit.name));
          seen.forget(limit);
          return "The quota of every client is reset";
        },
      },
    ],
  };
};
