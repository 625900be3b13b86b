import { type ConfigInput, type Feature, isPlainObject } from "@framework/core/feature";
import type { MessagingMethods } from "@framework/messaging";
import { messagingSetup, type SharedConfig } from "@framework/messaging/adapter";
import { adapterOf } from "./sqs-broker.ts";
import { configProblems, SqsConfig } from "./sqs-config.ts";

/** What the feature adds to an app. */
export interface SqsMethods {
  /**
   * Runs messaging on Amazon SQS, as the broker `sqs`. The first request is made after the start; while SQS does not answer, the app is not ready.
   *
   * @param config fields of `SqsConfig`, and of `MessagingConfig` without `broker`
   * @throws CORE_BAD_CONFIG at start, with all other mistakes
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
  install: (host, needs) => ({
    enableSqs(config = {}) {
      const own: Record<string, unknown> = {};
      const shared: Record<string, unknown> = {};
      const given = isPlainObject(config) ? Object.entries(config) : [];
      for (const [name, value] of given) (fields.has(name) ? own : shared)[name] = value;
      const checked = host.configure(SqsConfig, isPlainObject(config) ? own : config);
      for (const message of configProblems(checked)) host.problem({ code: "CORE_BAD_CONFIG", message });
      messagingSetup(needs).addBroker("sqs", adapterOf(checked), shared);
      return this;
    },
  }),
};

const fields: ReadonlySet<string> = new Set(Object.keys(SqsConfig.of()));
