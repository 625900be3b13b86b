import { randomUUID } from "node:crypto";
import { test } from "@jest/globals";
import { brokerContract } from "@framework/messaging/testing";
import { withServer } from "@framework/services";
import { sqsBroker } from "./index.ts";
import { credentials } from "./process.test-kit.ts";

withServer("sqs", (endpointUrl) => {
  brokerContract(test.concurrent, () => ({
    adapter: () => sqsBroker({ endpointUrl, credentials }),
    prefix: `c${randomUUID().slice(0, 8)}`,
  }));
});
