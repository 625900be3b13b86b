import { databaseInFile, type TestDatabase } from "@framework/database/testing";
import { afterAll, test } from "@jest/globals";
import { brokerContract } from "./broker-contract.ts";
import { databaseFixture } from "./database-fixture.test-kit.ts";

let place: TestDatabase | null = null;
afterAll(async () => {
  await place?.[Symbol.asyncDispose]();
});

brokerContract(test.concurrent, () => databaseFixture((place ??= databaseInFile())));
