import type { BrokerFixture } from "@framework/messaging/testing";
import { kafkaBroker } from "./index.ts";

/** Returns a fixture with the shortest session timeout, so that killed consumers are detected early. */
export const effectsFixture = (brokers: string, prefix: string, databaseUrl: string): BrokerFixture => ({
  adapter: () => kafkaBroker({ brokers, partitions: 4, sessionTimeoutMs: 6000 }),
  prefix,
  databaseUrl,
});
