import type { HostInsight, Operations } from "@framework/core/feature";

/** One call of `send` or `sendAll`. */
export interface SentMessages {
  /** Name of the broker in the app. */
  readonly broker: string;
  readonly topic: string;
  readonly count: number;
}

/** The sends of messages, for traces. */
export const sendOperations = (insight: HostInsight): Operations<SentMessages> =>
  insight.operation<SentMessages>({
    kind: "message",
    role: "producer",
    describe: ({ broker, topic, count }) => ({
      name: topic,
      attributes: {
        "messaging.system": broker,
        "messaging.destination.name": topic,
        ...(count > 1 && { "messaging.batch.message_count": count }),
      },
    }),
  });
