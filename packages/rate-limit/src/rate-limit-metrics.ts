import type { Host } from "@framework/core/feature";
import type { RateLimiter } from "./rate-limiter.ts";

/** Publishes the metrics of a limiter, and its snapshot. */
export const publishMetrics = (host: Host, limiter: RateLimiter): void => {
  host.insight
    .metric({
      name: "rate_limit_requests_total",
      help: "Requests under a limit, by result.",
      type: "counter",
      read: () => [
        { value: limiter.counts.allowed, labels: { result: "allowed" } },
        { value: limiter.counts.denied, labels: { result: "denied" } },
      ],
    })
    .metric({
      name: "rate_limit_store_errors_total",
      help: "Calls to the store of the rate limit that failed or timed out.",
      type: "counter",
      read: () => limiter.storeErrors,
    })
    .metric({
      name: "rate_limit_store_calls_total",
      help: "Calls to the store of the rate limit.",
      type: "counter",
      read: () => limiter.source?.calls ?? 0,
    })
    .metric({
      name: "rate_limit_max_requests",
      help: "Requests per window that a limit currently allows one client.",
      type: "gauge",
      across: "max",
      read: () => limiter.limits.map(({ name, rule }) => ({ value: rule.capacity, labels: { limit: name } })),
    })
    .expose("rateLimit", () => snapshotOf(limiter));
};

/** Returns the snapshot of a limiter. */
const snapshotOf = ({
  counts,
  storeErrors,
  source,
  limits,
}: RateLimiter): Readonly<Record<string, unknown>> => ({
  ...counts,
  storeErrors,
  storeCalls: source?.calls ?? 0,
  keys: source?.keys ?? 0,
  limits: Object.fromEntries(limits.map(({ name, policy }) => [name, policy])),
});
