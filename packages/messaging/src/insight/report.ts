import type { HostInsight, Operations, Sample } from "@framework/core/feature";
import type { AppBroker } from "../brokers/app-broker.ts";
import type { ConsumeCounts } from "../consume/consume-counts.ts";
import type { RunningSubscription } from "../consume/running-subscription.ts";
import type { Message } from "../message/message.ts";
import { subscriptionPanel } from "./subscription-panel.ts";

/**
 * Creates the trace operation of tries. Attribute names follow OpenTelemetry's messaging conventions, which may still change; `messaging.broker`,
 * `messaging.message.type` and `messaging.message.attempt` are not part of them.
 */
export const messageOperations = (insight: HostInsight): Operations<Message> =>
  insight.operation<Message>({
    kind: "message",
    role: "consumer",
    describe: (message) => ({
      name: message.meta.topic,
      attributes: {
        "messaging.system": message.meta.system,
        "messaging.broker": message.meta.broker,
        "messaging.destination.name": message.meta.topic,
        "messaging.consumer.group.name": message.meta.group,
        "messaging.message.id": message.id,
        "messaging.message.type": message.type,
        "messaging.message.attempt": message.attempt,
      },
      subject: message,
    }),
  });

const counters: readonly (readonly [keyof ConsumeCounts, string, string])[] = [
  ["received", "received", "Deliveries from brokers."],
  ["redelivered", "redelivered", "Deliveries that may have been delivered before."],
  ["done", "done", "Messages handled without a failure, or skipped."],
  ["retries", "retries", "Failed tries that are retried."],
  ["deadLettered", "dead_letters", "Messages that became dead letters."],
  ["duplicates", "duplicates", "Messages that the inbox had already recorded as done."],
  ["lost", "lost", "Deliveries that the broker gave to another consumer."],
  ["abandoned", "abandoned", "Handlers that ignored their signal after their time limit."],
];

/** Publishes metrics, health and status of all brokers of an app. */
export const reportBrokers = (insight: HostInsight, brokers: () => readonly AppBroker[]): void => {
  const samples = (read: (subscription: RunningSubscription) => number | null): readonly Sample[] =>
    brokers().flatMap(({ name, subscriptions }) =>
      subscriptions.flatMap((subscription) => {
        const value = read(subscription);
        const { topic, group } = subscription.spec;
        return value === null ? [] : [{ value, labels: { broker: name, topic: String(topic), group } }];
      }),
    );
  for (const [count, name, help] of counters)
    insight.metric({
      name: `messaging_${name}_total`,
      help,
      type: "counter",
      read: () => samples(({ counts }) => counts[count]),
    });
  insight.metric({
    name: "messaging_in_flight",
    help: "Running handlers.",
    type: "gauge",
    read: () => samples(({ inFlight }) => inFlight),
  });
  insight.metric({
    name: "messaging_lag",
    help: "Messages waiting at the broker at the last reading.",
    type: "gauge",
    across: "max",
    read: () => samples(({ lag }) => lag),
  });
  insight.healthCheck({
    name: "messaging",
    run: async (signal) => {
      const found = await Promise.all(
        brokers().map(async (broker) => [broker.name, await broker.health(signal)] as const),
      );
      return Object.fromEntries(found);
    },
  });
  insight.panel(subscriptionPanel(brokers));
  insight.expose("messaging", () => brokers().flatMap((broker) => broker.status()));
};
