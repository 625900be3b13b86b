import { type Feature, isPlainObject } from "@framework/core/feature";
import type { KafkaMethods } from "@framework/kafka";
import type { MessagingMethods } from "@framework/messaging";

/**
 * Returns messaging with Kafka's overload of `enableMessaging`: a configuration with `brokers` or `groupId` loads Kafka, which adds no other method that
 * could load it.
 *
 * @param loadKafka loads the feature `kafka`
 */
export const messagingWithKafka = (
  messaging: Feature<MessagingMethods>,
  loadKafka: () => Feature<KafkaMethods, MessagingMethods>,
): Feature<MessagingMethods & KafkaMethods> => ({
  name: messaging.name,
  install(host, needs) {
    const methods = messaging.install(host, needs);
    const { enableMessaging } = methods;
    const enable = function (this: typeof methods, config: object = {}): typeof methods {
      if (isPlainObject(config) && ("brokers" in config || "groupId" in config))
        loadKafka().install(host, methods);
      return enableMessaging.call(this, config);
    };
    return Object.defineProperty(methods, "enableMessaging", { value: enable }) as MessagingMethods &
      KafkaMethods;
  },
});
