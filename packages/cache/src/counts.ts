import type { Host, Metric } from "@framework/core/feature";
import type { CacheStore } from "./store/cache-store.ts";
import type { GuardedStore } from "./store/guarded-store.ts";
import type { Outcome } from "./cache-status.ts";

/** Number of requests by outcome, in this process. */
export type Counts = Record<Outcome, number>;

/** Creates counts of 0. */
export const newCounts = (): Counts => ({ MISS: 0, HIT: 0, STALE: 0, REVALIDATED: 0, BYPASS: 0 });

/** Publishes the metrics of the cache. */
export const publishMetrics = (
  host: Host,
  counts: Counts,
  store: CacheStore,
  guarded: GuardedStore,
): void => {
  const size = () => sizeOf(store);
  const outcomes: readonly (readonly [Outcome, string, string])[] = [
    ["HIT", "cache_hits_total", "Requests answered with a fresh stored reply or a coalesced one."],
    ["MISS", "cache_misses_total", "Requests without a usable stored reply, answered by the handler."],
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
      help: "Calls to the store that failed or timed out.",
      type: "counter",
      read: () => guarded.failures,
    },
    {
      name: "cache_evictions_total",
      help: "Evicted entries.",
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

/** Returns the size of a store; zeros if it is unknown. */
export const sizeOf = (store: CacheStore): ReturnType<NonNullable<CacheStore["size"]>> =>
  store.size?.() ?? { entries: 0, bytes: 0, evictions: 0 };

/** Returns the aggregation over workers: a store shared by all workers is counted once. */
const across = ({ shared }: CacheStore): Pick<Metric, "across"> => ({ across: shared ? "max" : "sum" });
