import { messageOf } from "@framework/core/feature";
import { retryTopicsOf } from "../consume/retry-topics.ts";
import type { Broker, BrokerAdapter, BrokerContext, Topology } from "../port/broker-adapter.ts";
import type { Capabilities } from "../port/capabilities.ts";
import type { SubscriptionSpec } from "../subscribe/subscription-spec.ts";

/** What a broker says about the topics and subscriptions of the app. */
export interface DeclaredTopology {
  /** Name of the broker in the app. */
  readonly broker: string;
  /** Its technology: `kafka`, `rabbitmq`. */
  readonly system: string;
  /** What is missing or different, or why the broker cannot be asked, in sentences for operators. */
  readonly problems: readonly string[];
}

/** What a topology is made of, besides the subscriptions. */
export interface TopologyParts {
  /** Topics that the app sends to. */
  readonly topics: readonly string[];
  readonly capabilities: Capabilities;
  readonly deadLetterTopicOf: (spec: SubscriptionSpec) => string | null;
}

/** What the subscriptions of one broker need there. */
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

/** Verifies or creates a topology. Never rejects: a broker that cannot be asked is a problem too. */
export const topologyProblems = async (
  broker: Broker,
  ...given: Parameters<Broker["topology"]>
): Promise<readonly string[]> => {
  try {
    return await broker.topology(...given);
  } catch (error) {
    return [`the broker cannot be asked: ${messageOf(error)}`];
  }
};

/** Verifies or creates a topology on connections of its own. */
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
