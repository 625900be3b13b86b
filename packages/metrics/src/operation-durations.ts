import type { HostInsight } from "@framework/core/feature";

/** Records the duration of each operation of the app but requests, which `RequestMeter` counts. */
export const recordOperations = (insight: HostInsight, buckets: readonly number[]): void => {
  const seconds = insight.histogram({
    name: "operation_duration_seconds",
    help: "Duration of operations: messages, commands, statements, calls and those of other features.",
    labels: ["kind", "role", "name", "outcome"],
    buckets,
  });
  insight.onOperation({
    except: ["http"],
    start: () => null,
    end: ({ kind, role, name, error, durationMs }) => {
      const outcome = error === null ? "ok" : "error";
      seconds.observe((durationMs ?? 0) / 1000, { kind, role, name, outcome });
    },
  });
};
