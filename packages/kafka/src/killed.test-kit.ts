import type { BrokerFixture } from "@framework/messaging/testing";
import { kafkaBroker } from "./index.ts";

/** A fixture whose consumers are missed as soon as the adapter allows after they were killed. */
export const effectsFixture = (brokers: string, prefix: string, databaseUrl: string): BrokerFixture => ({
  adapter: () => kafkaBroker({ brokers, partitions: 4, sessionTimeoutMs: 6000 }),
  prefix,
  databaseUrl,
});
