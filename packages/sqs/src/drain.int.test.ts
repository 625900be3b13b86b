import { test } from "@jest/globals";
import { expectNothingTwice } from "@framework/messaging/testing";
import { withServer } from "@framework/services";
import { sqsBroker } from "./index.ts";
import { credentials, LIMIT_MS, MESSAGES, newName, sends } from "./process.test-kit.ts";

withServer("sqs", (endpointUrl) => {
  test.concurrent.each(["key", "none"] as const)(
    "rolling restarts under load handle no message twice, with order %s",
    async (order) => {
      const config = { endpointUrl, credentials, visibilityTimeoutSecs: 10 };
      const plan = { ...sends, messages: Math.max(300, MESSAGES), limitMs: LIMIT_MS, stops: 4 };
      await expectNothingTwice({ adapter: () => sqsBroker(config), prefix: newName() }, order, plan);
    },
    LIMIT_MS,
  );
});
