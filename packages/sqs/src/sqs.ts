import type { ConfigInput, Feature } from "@framework/core/feature";
import type { MessagingMethods } from "@framework/messaging";
import { messagingSetup, type SharedConfig, splitConfig } from "@framework/messaging/adapter";
import { adapterOf } from "./sqs-broker.ts";
import { configProblems, SqsConfig } from "./sqs-config.ts";

/** The methods that the feature adds to an app. */
export interface SqsMethods {
  /**
   * Adds Amazon SQS to messaging, as the broker `sqs`. Sends the first request after the start; the app is not ready while SQS does not respond.
   *
   * @param config fields of `SqsConfig` and of `MessagingConfig`, except `broker`
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors
   */
  enableSqs(config?: ConfigInput<SqsConfig> & SharedConfig): this;
}

/**
 * Adds Amazon SQS to the messaging of an app: a queue for each group, FIFO queues for order by key, dead letters.
 *
 * @example
 * const app = new (App.with(messaging, sqs))().enableSqs({ region: "eu-central-1", topics: ["orders"] });
 */
export const sqs: Feature<SqsMethods, MessagingMethods> = {
  name: "sqs",
  requires: { members: ["messaging"], example: "App.with(messaging, sqs)" },
  install: (host, needs) => ({
    enableSqs(config = {}) {
      const { own, shared } = splitConfig(SqsConfig, config);
      const checked = host.configure(SqsConfig, own);
      for (const message of configProblems(checked)) host.problem({ code: "CORE_BAD_CONFIG", message });
      messagingSetup(needs).addBroker("sqs", adapterOf(checked), shared);
      return this;
    },
  }),
};
