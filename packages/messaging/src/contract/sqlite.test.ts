import { databaseInFile, type TestDatabase } from "@framework/database/testing";
import { afterAll, test } from "@jest/globals";
import { brokerContract } from "./broker-contract.ts";
import { databaseFixture } from "./database-fixture.test-kit.ts";

let storage: TestDatabase | null = null;
afterAll(async () => {
  await storage?.[Symbol.asyncDispose]();
});

brokerContract(test.concurrent, () => databaseFixture((storage ??= databaseInFile())));
