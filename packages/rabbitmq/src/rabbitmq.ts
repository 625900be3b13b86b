import type { ConfigInput, Feature } from "@framework/core/feature";
import type { MessagingMethods } from "@framework/messaging";
import { messagingSetup, type SharedConfig, splitConfig } from "@framework/messaging/adapter";
import { adapterOf } from "./rabbitmq-broker.ts";
import { configProblems, RabbitMQConfig } from "./rabbitmq-config.ts";

/** The methods that the feature adds to an app. */
export interface RabbitMQMethods {
  /**
   * Adds RabbitMQ to messaging, as the broker `rabbitmq`. Connects after the start, and reconnects after a lost connection.
   *
   * @param config fields of `RabbitMQConfig` and of `MessagingConfig`, except `broker`
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors
   */
  enableRabbitmq(config?: ConfigInput<RabbitMQConfig> & SharedConfig): this;
}

/**
 * Adds RabbitMQ to the messaging of an app: confirmed sends, quorum queues, delayed retries and dead letters.
 *
 * @example
 * const app = new (App.with(messaging, rabbitmq))().enableRabbitmq({ url: "amqp://localhost", prefetchCount: 20 });
 */
export const rabbitmq: Feature<RabbitMQMethods, MessagingMethods> = {
  name: "rabbitmq",
  requires: { members: ["messaging"], example: "App.with(messaging, rabbitmq)" },
  install: (host, needs) => ({
    enableRabbitmq(config = {}) {
      const { own, shared } = splitConfig(RabbitMQConfig, config);
      const checked = host.configure(RabbitMQConfig, own);
      for (const message of configProblems(checked)) host.problem({ code: "CORE_BAD_CONFIG", message });
      messagingSetup(needs).addBroker("rabbitmq", adapterOf(checked), shared);
      return this;
    },
  }),
};
