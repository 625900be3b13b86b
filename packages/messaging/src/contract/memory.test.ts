import { randomUUID } from "node:crypto";
import { test } from "@jest/globals";
import { memoryBroker } from "../memory/memory-broker.ts";
import { brokerContract } from "./broker-contract.ts";

brokerContract(test.concurrent, () => {
  const broker = memoryBroker();
  return { adapter: () => broker, prefix: randomUUID().slice(0, 8) };
});
