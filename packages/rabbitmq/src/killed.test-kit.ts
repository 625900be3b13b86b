import type { BrokerFixture } from "@framework/messaging/testing";
import { rabbitmqBroker } from "./index.ts";

/** A fixture whose messages survive the deaths of many processes that held them. */
export const effectsFixture = (url: string, prefix: string, databaseUrl: string): BrokerFixture => ({
  adapter: () => rabbitmqBroker({ url, prefetchCount: 20, deliveryLimit: 100_000 }),
  prefix,
  databaseUrl,
});
