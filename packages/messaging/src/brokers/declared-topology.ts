import { messageOf } from "@framework/core/feature";
import { retryTopicsOf } from "../consume/retry-topics.ts";
import type { Broker, BrokerAdapter, BrokerContext, Topology } from "../port/broker-adapter.ts";
import type { Capabilities } from "../port/capabilities.ts";
import type { SubscriptionSpec } from "../subscribe/subscription-spec.ts";

/** Result of declaring the app's topics and subscriptions at one broker. */
export interface DeclaredTopology {
  /** Name of the broker in the app. */
  readonly broker: string;
  /** Its technology: `kafka`, `rabbitmq`. */
  readonly system: string;
  /** Problems for operators: missing or different objects, or why the broker cannot be queried. */
  readonly problems: readonly string[];
}

/** Dependencies of `topologyOf`, besides the subscriptions. */
export interface TopologyParts {
  /** Topics that the app sends to. */
  readonly topics: readonly string[];
  readonly capabilities: Capabilities;
  readonly deadLetterTopicOf: (spec: SubscriptionSpec) => string | null;
}

/** Returns the topology that the subscriptions of one broker need. */
export const topologyOf = (
  specs: readonly SubscriptionSpec[],
  { topics, capabilities, deadLetterTopicOf }: TopologyParts,
): Topology => {
  const subscriptions = specs.map((spec) => ({
    topics: typeof spec.topic === "string" ? [spec.topic] : [],
    group: spec.group,
    order: spec.order,
    from: spec.from,
    deadLetterTopic: deadLetterTopicOf(spec),
    retryTopics: retryTopicsOf(spec, capabilities),
    maxTries: spec.maxTries,
  }));
  const all = [...topics, ...subscriptions.flatMap((each) => each.topics)];
  return { topics: [...new Set(all)], subscriptions };
};

/** Verifies or creates a topology. Never rejects: an unavailable broker is one of the problems. */
export const topologyProblems = async (
  broker: Broker,
  ...given: Parameters<Broker["topology"]>
): Promise<readonly string[]> => {
  try {
    return await broker.topology(...given);
  } catch (error) {
    return [`the broker cannot be queried: ${messageOf(error)}`];
  }
};

/** Verifies or creates a topology on separate connections. */
export const declareOn = async (
  adapter: BrokerAdapter,
  context: BrokerContext,
  { topology, mode }: { readonly topology: Topology; readonly mode: "verify" | "create" },
): Promise<DeclaredTopology> => {
  const found = { broker: context.name, system: adapter.name };
  if (adapter.name === "database") return { ...found, problems: [] }; // its tables are migrated, and groups join at start
  const broker = adapter.open(context);
  try {
    return { ...found, problems: await topologyProblems(broker, topology, mode) };
  } finally {
    await broker.close();
  }
};
