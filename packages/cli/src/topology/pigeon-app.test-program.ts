import { App } from "@framework/core";
import { memoryBroker, messaging } from "@framework/messaging";
import type { BrokerAdapter } from "@framework/messaging/adapter";

/** Creates a broker without topics, which reports missing topics and the remaining problems. */
const pigeon = (remaining: readonly string[]): BrokerAdapter => {
  const inner = memoryBroker();
  const created = new Set<string>();
  const open: BrokerAdapter["open"] = (context) => ({
    ...inner.open(context),
    topology: async ({ topics }, mode) => {
      if (mode === "create") for (const topic of topics) created.add(topic);
      const missing = topics.filter((topic) => !created.has(topic));
      return [...missing.map((topic) => `there is no topic ${topic}`), ...remaining];
    },
  });
  return { ...inner, name: "pigeon", open };
};

const appOn = (broker: BrokerAdapter): App =>
  new (App.with(messaging))().enableMessaging({ broker, topics: ["orders"] });

/** An app whose broker lacks a topic. */
export const withMissingTopic: App = appOn(pigeon([]));

/** An app whose broker has a queue that differs. */
export const withDifferentQueue: App = appOn(pigeon(["the queue has another length"]));
