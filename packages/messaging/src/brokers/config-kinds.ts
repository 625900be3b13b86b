import type { ConfigInput } from "@framework/core/feature";
import type { MessagingConfig } from "../messaging-config.ts";
import type { MessagingOutline } from "../outline/messaging-outline.ts";
import type { BrokerAdapter } from "../port/broker-adapter.ts";

/** Options of messaging that a broker's configuration may carry. */
export type SharedConfig = ConfigInput<Omit<MessagingConfig, "broker">>;

/** A configuration that `enableMessaging` accepts beside its own, from the package of a broker. */
export interface ConfigKind {
  /** Name of the record: `KafkaConfig`. */
  readonly name: string;
  /** Whether a value is meant as one, by a field that only it has: `brokers`. Mistakes in it are for `open`. */
  matches(config: object): boolean;
  /** Returns the adapter, and the options of messaging that the configuration had. Checks with `host.configure`, which reports mistakes. */
  open(config: object): { readonly adapter: BrokerAdapter; readonly shared: SharedConfig };
}

/** What the package of a broker can do with the messaging of an app. */
export interface MessagingSetup {
  /** Makes `enableMessaging` accept another configuration. Call it in `install`. */
  acceptConfig(kind: ConfigKind): void;
  /** Adds a broker by name, for an `enableX` of its own. */
  addBroker(name: string, adapter: BrokerAdapter, shared?: SharedConfig): void;
  /** Returns what the app sends and receives, for a document about it: complete when the app starts. */
  outline(): MessagingOutline;
}

interface Setup extends MessagingSetup {
  readonly kinds: readonly ConfigKind[];
}

const setups = new WeakMap<object, Setup>();

/** Registers the setup of an app under its `messaging`, where packages of brokers find it. */
export const registerSetup = (
  messaging: object,
  { addBroker, outline }: Pick<MessagingSetup, "addBroker" | "outline">,
): readonly ConfigKind[] => {
  const kinds: ConfigKind[] = [];
  setups.set(messaging, {
    kinds,
    acceptConfig: (kind) => void kinds.push(kind),
    addBroker,
    outline,
  });
  return kinds;
};

/**
 * Returns what the package of a broker needs, from the methods that `install` gets.
 *
 * @example
 * export const kafka: Feature<KafkaMethods, MessagingMethods> = {
 *   name: "kafka",
 *   install(host, needs) {
 *     messagingSetup(needs).acceptConfig(kafkaConfigKind(host));
 *     return {} as KafkaMethods; // an overload of enableMessaging, which exists
 *   },
 * };
 */
export const messagingSetup = ({ messaging }: { readonly messaging: object }): MessagingSetup => {
  const setup = setups.get(messaging);
  if (setup === undefined) throw new TypeError("messaging: not the messaging of an app");
  return setup;
};
