import { randomUUID } from "node:crypto";
import { test } from "@jest/globals";
import { brokerContract } from "./broker-contract.ts";
import { memoryLog } from "./memory-log.test-kit.ts";

brokerContract(test.concurrent, () => {
  const log = memoryLog();
  return { adapter: () => log, prefix: randomUUID().slice(0, 8) };
});
