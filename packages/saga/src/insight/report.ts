import { FrameworkError } from "@framework/core";
import type { HostInsight } from "@framework/core/feature";
import type { AttemptEnd, Insight, ObservedAttempt } from "./insight.ts";
import type { Survey } from "./survey.ts";

/** Publishes metrics, operations and the health check of sagas. Returns the `Insight` to which attempts are reported. */
export const reportSagas = (insight: HostInsight, survey: Survey): Insight => {
  const ends = new Map<string, Map<AttemptEnd, number>>();
  insight.metric({
    name: "saga_instances",
    help: "Unfinished instances by saga and status, counted every 15 s.",
    type: "gauge",
    across: "max",
    read: () => {
      const sums = new Map<string, { name: string; status: string; count: number }>();
      for (const { name, status, count } of survey.counts) {
        const before = sums.get(`${name} ${status}`)?.count ?? 0;
        sums.set(`${name} ${status}`, { name, status, count: before + count });
      }
      return Array.from(sums.values(), ({ name, status, count }) => ({
        value: count,
        labels: { saga: name, status },
      }));
    },
  });
  insight.metric({
    name: "saga_attempts_total",
    help: "Attempts at steps and undos, by saga and outcome.",
    type: "counter",
    read: () =>
      Array.from(ends).flatMap(([saga, counts]) =>
        Array.from(counts, ([outcome, value]) => ({ value, labels: { saga, outcome } })),
      ),
  });
  insight.healthCheck({
    name: "sagas",
    critical: false,
    run() {
      const problems = problemsOf(survey);
      if (problems.length > 0) throw new FrameworkError("SAGA_UNHEALTHY", problems.join("; "));
    },
  });
  return {
    operations: insight.operation<ObservedAttempt>({
      kind: "saga",
      role: "internal",
      describe: ({ saga, id, step, attempt, isUndo, trace }) => ({
        name: `${saga} ${step}`,
        attributes: {
          "saga.id": id,
          "saga.attempt": attempt,
          "saga.undo": isUndo,
          ...(trace !== null && { "saga.started_by": trace }),
        },
      }),
    }),
    trace: () => insight.currentTrace()?.headers()["traceparent"],
    countAttempt(saga, end) {
      const counts = ends.get(saga) ?? new Map<AttemptEnd, number>();
      ends.set(saga, counts.set(end, (counts.get(end) ?? 0) + 1));
    },
  };
};

const problemsOf = (survey: Survey): readonly string[] => {
  const waiting = survey.counts.filter(({ status }) => status === "stuck" || status === "paused");
  return [
    ...survey.withoutCode.map(
      (version) =>
        `instances of ${version} are unfinished, but this process does not define this version; keep its definition until they end`,
    ),
    ...waiting.map(
      ({ name, status, count }) => `${count} instances of ${name} are ${status} and need an operator`,
    ),
  ];
};
