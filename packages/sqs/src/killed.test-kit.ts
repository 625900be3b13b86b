import type { BrokerFixture } from "@framework/messaging/testing";
import { sqsBroker } from "./index.ts";
import { credentials } from "./process.test-kit.ts";

/** Creates a fixture with a short visibility timeout and a high receive count, because many processes are killed. */
export const effectsFixture = (endpointUrl: string, prefix: string, databaseUrl: string): BrokerFixture => ({
  adapter: () => sqsBroker({ endpointUrl, credentials, visibilityTimeoutSecs: 2, maxReceiveCount: 1000 }),
  prefix,
  databaseUrl,
});
