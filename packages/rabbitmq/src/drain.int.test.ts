import { test } from "@jest/globals";
import { expectNothingTwice } from "@framework/messaging/testing";
import { withServer } from "@framework/services";
import { LIMIT_MS, MESSAGES } from "./faults.test-kit.ts";
import { rabbitmqBroker } from "./index.ts";
import { newName } from "./process.test-kit.ts";

withServer("rabbitmq", (url) => {
  test.each(["key", "none"] as const)(
    "rolling restarts under load handle no message twice, with order %s",
    async (order) => {
      const fixture = { adapter: () => rabbitmqBroker({ url }), prefix: newName() };
      await expectNothingTwice(fixture, order, {
        messages: Math.max(600, MESSAGES),
        limitMs: LIMIT_MS,
        stops: 5,
      });
    },
    LIMIT_MS,
  );
});
