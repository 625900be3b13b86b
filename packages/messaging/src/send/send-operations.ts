import type { HostInsight, Operations } from "@framework/core/feature";

/** One call of `send` or `sendAll`. */
export interface SentMessages {
  /** Name of the broker in the app. */
  readonly broker: string;
  /** Technology of the broker, as OpenTelemetry names it. */
  readonly system: string;
  readonly topic: string;
  readonly count: number;
}

/** Creates the trace operation of sends. */
export const sendOperations = (insight: HostInsight): Operations<SentMessages> =>
  insight.operation<SentMessages>({
    kind: "message",
    role: "producer",
    describe: ({ broker, system, topic, count }) => ({
      name: topic,
      attributes: {
        "messaging.system": system,
        "messaging.broker": broker,
        "messaging.destination.name": topic,
        ...(count > 1 && { "messaging.batch.message_count": count }),
      },
    }),
  });
