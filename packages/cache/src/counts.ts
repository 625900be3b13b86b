import type { Host, Metric } from "@framework/core/feature";
import type { CacheStore } from "./store/cache-store.ts";
import type { GuardedStore } from "./store/guarded-store.ts";
import type { Outcome } from "./verdicts.ts";

/** How many requests had each outcome, in this process. */
export type Counts = Record<Outcome, number>;

/** Counts that begin at 0. */
export const newCounts = (): Counts => ({ MISS: 0, HIT: 0, STALE: 0, REVALIDATED: 0, BYPASS: 0 });

/** Publishes what the cache does. */
export const publishFigures = (
  host: Host,
  counts: Counts,
  store: CacheStore,
  guarded: GuardedStore,
): void => {
  const size = () => store.size?.() ?? { entries: 0, bytes: 0, evictions: 0 };
  const outcomes: readonly (readonly [Outcome, string, string])[] = [
    [
      "HIT",
      "cache_hits_total",
      "Requests answered with a fresh stored reply, or with one that another request was waiting for.",
    ],
    ["MISS", "cache_misses_total", "Requests that went to their handler because nothing usable was stored."],
    ["STALE", "cache_stale_total", "Requests answered with a stale stored reply."],
    [
      "REVALIDATED",
      "cache_revalidated_total",
      "Requests answered with a stored reply that the handler confirmed.",
    ],
    ["BYPASS", "cache_bypass_total", "Requests that may not be answered from the store."],
  ];
  const metrics: readonly Metric[] = [
    ...outcomes.map(([outcome, name, help]): Metric => ({
      name,
      help,
      type: "counter",
      read: () => counts[outcome],
    })),
    {
      name: "cache_store_failures_total",
      help: "Calls of the store that failed or were late.",
      type: "counter",
      read: () => guarded.failures,
    },
    {
      name: "cache_evictions_total",
      help: "Entries that made room for others.",
      type: "counter",
      read: () => size().evictions,
    },
    {
      name: "cache_entries",
      help: "Entries in the store.",
      type: "gauge",
      read: () => size().entries,
      ...across(store),
    },
    {
      name: "cache_stored_bytes",
      help: "Bytes in the store.",
      type: "gauge",
      read: () => size().bytes,
      ...across(store),
    },
  ];
  for (const metric of metrics) host.insight.metric(metric);
  host.insight.expose("cache", () => ({ ...counts, storeFailures: guarded.failures, ...size() }));
};

/** One store for all workers is counted once. */
const across = ({ shared }: CacheStore): Pick<Metric, "across"> => ({ across: shared ? "max" : "sum" });
