import type { Host } from "@framework/core/feature";

/** Records the duration of each operation of the app except requests, which `RequestMeter` counts. Outgoing calls are recorded while the app runs. */
export const recordOperations = ({ insight, life }: Host, buckets: readonly number[]): void => {
  const seconds = insight.histogram({
    name: "operation_duration_seconds",
    help: "Duration of operations: messages, commands, statements, calls and operations of other features.",
    labels: ["kind", "role", "name", "outcome"],
    buckets,
  });
  insight.onOperation({
    except: ["http"],
    start: () => null,
    end: ({ kind, role, name, attributes, error, durationMs }) => {
      const isOk = error === null && attributes["error.type"] === undefined; // a reply with a status above 399 sets only the attribute
      seconds.observe((durationMs ?? 0) / 1000, { kind, role, name, outcome: isOk ? "ok" : "error" });
    },
  });
  let end = (): void => {};
  life
    .onStart({ name: "outgoing calls", run: () => void (end = insight.publishOutgoingCalls()) })
    .onStop({ name: "outgoing calls", run: () => end() });
};
