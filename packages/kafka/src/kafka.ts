import type { ConfigInput, Feature, Host } from "@framework/core/feature";
import type { MessagingMethods } from "@framework/messaging";
import {
  type ConfigKind,
  messagingSetup,
  type SharedConfig,
  splitConfig,
} from "@framework/messaging/adapter";
import { adapterOf } from "./kafka-broker.ts";
import { configProblems, KafkaConfig } from "./kafka-config.ts";

/** Configuration of `enableMessaging` for Kafka: fields of `KafkaConfig` and of `MessagingConfig`. */
export type KafkaMessagingConfig = ConfigInput<KafkaConfig> &
  SharedConfig & { readonly brokers: KafkaConfig["brokers"] };

/** The methods that the feature adds to an app. */
export interface KafkaMethods {
  /**
   * Enables messaging on Apache Kafka. Connects on first use, and reconnects while the app runs.
   *
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors
   */
  enableMessaging(config: KafkaMessagingConfig): this;
}

/**
 * Adds Apache Kafka as a message broker.
 *
 * @example
 * const app = new (App.with(messaging, kafka))().enableMessaging({ brokers: ["localhost:9092"], groupId: "shop" });
 * app.messaging.subscribe("orders", { group: "billing", order: "key" }, async ({ data }) => await bill(data));
 */
export const kafka: Feature<KafkaMethods, MessagingMethods> = {
  name: "kafka",
  requires: { members: ["messaging"], example: "App.with(messaging, kafka)" },
  install: (host, needs) => {
    messagingSetup(needs).acceptConfig(kindOf(host));
    return {} as KafkaMethods; // only an overload of enableMessaging, which messaging implements
  },
};

const kindOf = (host: Host): ConfigKind => ({
  name: "KafkaConfig",
  matches: (config) => "brokers" in config || "groupId" in config,
  open(input) {
    const { own, shared } = splitConfig(KafkaConfig, input);
    const config = host.configure(KafkaConfig, own);
    for (const message of configProblems(config)) host.problem({ code: "CORE_BAD_CONFIG", message });
    return { adapter: adapterOf(config), shared };
  },
});
