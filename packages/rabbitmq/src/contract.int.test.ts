import { randomUUID } from "node:crypto";
import { test } from "@jest/globals";
import { brokerContract } from "@framework/messaging/testing";
import { withServer } from "@framework/services";
import { rabbitmqBroker } from "./index.ts";

withServer("rabbitmq", (url) => {
  brokerContract(test.concurrent, () => ({
    adapter: () => rabbitmqBroker({ url, prefetchCount: 1000 }), // facts hold more than 10 deliveries
    prefix: `c${randomUUID().slice(0, 8)}`,
  }));
});
