import type { HostInsight, Sample } from "@framework/core/feature";
import type { FailureKind } from "../failures/failure-kind.ts";

/** Outcome of a call: a label of the metrics. */
export type CallOutcome = "success" | "replay" | FailureKind;

/** Counts of calls by operation and outcome, published as metrics. Bounded by the operations of the program. */
export class OperationCounts {
  /** Retries of commands. */
  retries = 0;
  /** Calls of queries that shared the run of another call. */
  shared = 0;
  private readonly calls = new Map<string, Map<CallOutcome, number>>();

  count(operation: string, outcome: CallOutcome): void {
    const outcomes = this.calls.get(operation) ?? new Map<CallOutcome, number>();
    this.calls.set(operation, outcomes);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }

  publish(insight: HostInsight): void {
    insight.metric({
      name: "cqrs_operations_total",
      help: "Calls of commands and queries by outcome.",
      type: "counter",
      read: () => this.samples(),
    });
    insight.metric({
      name: "cqrs_retries_total",
      help: "Retries of commands after a conflict or a commit with an unknown outcome.",
      type: "counter",
      read: () => this.retries,
    });
    insight.metric({
      name: "cqrs_shared_queries_total",
      help: "Calls of queries that shared the run of another call.",
      type: "counter",
      read: () => this.shared,
    });
  }

  private samples(): readonly Sample[] {
    return [...this.calls].flatMap(([operation, outcomes]) =>
      [...outcomes].map(([outcome, value]) => ({ value, labels: { operation, outcome } })),
    );
  }
}
