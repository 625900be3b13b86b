import type { Histogram, HostInsight, Sample } from "@framework/core/feature";
import type { OperationTypeNode } from "graphql";

type OperationType = `${OperationTypeNode}`;

/** Counts operations for the metrics of an app. */
export interface Traffic {
  /** Open subscriptions of this process. */
  subscriptions: number;
  /** Whether durations are recorded. */
  readonly isTimed: boolean;
  /** Records an executed operation, and whether it ended without errors. @param durationMs ignored unless `isTimed` */
  recordExecution(type: OperationType, isOk: boolean, durationMs: number): void;
  /** Counts an operation that is refused before its execution. */
  recordRefusal(): void;
}

/** Publishes the metrics; their labels have the values of the three operation types and two outcomes. */
export const publishTraffic = (insight: HostInsight): Traffic => {
  const counts: Record<"ok" | "error", Record<OperationType, number>> = {
    ok: { query: 0, mutation: 0, subscription: 0 },
    error: { query: 0, mutation: 0, subscription: 0 },
  };
  let refusals = 0;
  const durations: Histogram<"type"> = insight.histogram({
    name: "graphql_operation_duration_seconds",
    help: "Duration of GraphQL operations; of a subscription, the time until its source is open.",
    labels: ["type"],
  });
  const traffic: Traffic = {
    subscriptions: 0,
    get isTimed() {
      return durations.isRecorded;
    },
    recordExecution(type, isOk, durationMs) {
      counts[isOk ? "ok" : "error"][type]++;
      if (durations.isRecorded) durations.observe(durationMs / 1000, { type });
    },
    recordRefusal: () => void refusals++,
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
    read: () => samplesOf(counts),
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

/** Returns the counts without types and outcomes that never occurred. */
const samplesOf = (counts: Readonly<Record<string, Readonly<Record<string, number>>>>): Sample[] =>
  Object.entries(counts).flatMap(([outcome, types]) =>
    Object.entries(types)
      .filter(([, value]) => value > 0)
      .map(([type, value]) => ({ labels: { type, outcome }, value })),
  );
