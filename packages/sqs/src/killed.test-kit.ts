import type { BrokerFixture } from "@framework/messaging/testing";
import { sqsBroker } from "./index.ts";
import { credentials } from "./process.test-kit.ts";

/** A fixture whose messages come again soon after their process was killed, as often as that happens. */
export const effectsFixture = (endpointUrl: string, prefix: string, databaseUrl: string): BrokerFixture => ({
  adapter: () => sqsBroker({ endpointUrl, credentials, visibilityTimeoutSecs: 2, maxReceiveCount: 1000 }),
  prefix,
  databaseUrl,
});
