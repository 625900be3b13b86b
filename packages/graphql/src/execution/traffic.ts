import type { Histogram, HostInsight, Sample } from "@framework/core/feature";

/** What the metrics of an app count. */
export interface Traffic {
  /** Open subscriptions of this process. */
  subscriptions: number;
  /** Records an executed operation, and whether it ended without errors. */
  executed(type: string, isOk: boolean, durationMs: number): void;
  /** Counts an operation that is refused before its execution. */
  refused(): void;
}

/** Publishes the metrics; their labels are the three types of operations and two outcomes. */
export const publishTraffic = (insight: HostInsight): Traffic => {
  const counts = new Map<string, Sample & { value: number }>();
  let refusals = 0;
  const durations: Histogram<"type"> = insight.histogram({
    name: "graphql_operation_duration_seconds",
    help: "Duration of GraphQL operations; of a subscription, until its first event can come.",
    labels: ["type"],
  });
  const traffic: Traffic = {
    subscriptions: 0,
    executed(type, isOk, durationMs) {
      const outcome = isOk ? "ok" : "error";
      const key = `${type} ${outcome}`;
      const known = counts.get(key);
      if (known === undefined) counts.set(key, { labels: { type, outcome }, value: 1 });
      else counts.set(key, { ...known, value: known.value + 1 });
      if (durations.isRecorded) durations.observe(durationMs / 1000, { type });
    },
    refused: () => void refusals++,
  };
  insight.metric({
    name: "graphql_refused_operations_total",
    help: "GraphQL operations refused before their execution: invalid, unknown or over a limit.",
    type: "counter",
    read: () => refusals,
  });
  insight.metric({
    name: "graphql_operations_total",
    help: "Executed GraphQL operations.",
    type: "counter",
    read: () => [...counts.values()],
  });
  insight.metric({
    name: "graphql_subscriptions",
    help: "Open GraphQL subscriptions.",
    type: "gauge",
    read: () => traffic.subscriptions,
  });
  insight.expose("graphql", () => ({ subscriptions: traffic.subscriptions }));
  return traffic;
};
