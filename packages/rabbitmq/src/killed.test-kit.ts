import type { BrokerFixture } from "@framework/messaging/testing";
import { rabbitmqBroker } from "./index.ts";

/** Creates a fixture with a high delivery limit, because many processes are killed. */
export const effectsFixture = (url: string, prefix: string, databaseUrl: string): BrokerFixture => ({
  adapter: () => rabbitmqBroker({ url, prefetchCount: 20, deliveryLimit: 100_000 }),
  prefix,
  databaseUrl,
});
