import { randomUUID } from "node:crypto";
import { brokerContract } from "@framework/messaging/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { kafkaBroker } from "./index.ts";

withServer("kafka", (brokers) => {
  brokerContract(test.concurrent, () => ({
    adapter: () => kafkaBroker({ brokers, partitions: 3, sessionTimeoutMs: 6000 }),
    prefix: `t${randomUUID().slice(0, 8)}`,
  }));
});
