import type { ConfigInput } from "@framework/core/feature";
import type { MessagingConfig } from "../messaging-config.ts";
import type { MessagingOutline } from "../outline/messaging-outline.ts";
import type { BrokerAdapter } from "../port/broker-adapter.ts";

/** Options of `MessagingConfig` that a broker's configuration may include. */
export type SharedConfig = ConfigInput<Omit<MessagingConfig, "broker">>;

/** Another configuration that `enableMessaging` accepts, from a broker's package. */
export interface ConfigKind {
  /** Name of the record: `KafkaConfig`. */
  readonly name: string;
  /** Whether a configuration is of this kind: it has a field that no other kind has, such as `brokers`. `open` checks the rest. */
  matches(config: object): boolean;
  /** Returns the adapter and the messaging options of the configuration. Check the record with `host.configure`, which reports mistakes. */
  open(config: object): { readonly adapter: BrokerAdapter; readonly shared: SharedConfig };
}

/** Extension points of an app's messaging, for the package of a broker. */
export interface MessagingSetup {
  /** Lets `enableMessaging` accept another configuration. Call it in `install`. */
  acceptConfig(kind: ConfigKind): void;
  /** Adds a broker by name, for a package with its own `enableX`. */
  addBroker(name: string, adapter: BrokerAdapter, shared?: SharedConfig): void;
  /** Returns the topics that the app sends to and receives from, for an API document. Complete when the app starts. */
  outline(): MessagingOutline;
}

interface Setup extends MessagingSetup {
  readonly kinds: readonly ConfigKind[];
}

const setups = new WeakMap<object, Setup>();

/** Registers the setup of an app under its `messaging`, for `messagingSetup`. Returns the list to which `acceptConfig` adds kinds. */
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
 * Returns the messaging setup of an app, from the methods passed to `install`.
 *
 * @throws TypeError if `messaging` is not the messaging of an app
 *
 * @example
 * export const kafka: Feature<KafkaMethods, MessagingMethods> = {
 *   name: "kafka",
 *   install(host, needs) {
 *     messagingSetup(needs).acceptConfig(kafkaConfigKind(host));
 *     return {} as KafkaMethods; // only an overload of enableMessaging, which messaging implements
 *   },
 * };
 */
export const messagingSetup = ({ messaging }: { readonly messaging: object }): MessagingSetup => {
  const setup = setups.get(messaging);
  if (setup === undefined) throw new TypeError("messaging: `messaging` must be the messaging of an app");
  return setup;
};
