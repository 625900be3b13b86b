import { databaseInSchema, type TestDatabase } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { afterAll, test } from "@jest/globals";
import { brokerContract } from "./broker-contract.ts";
import { databaseFixture } from "./database-fixture.test-kit.ts";

withServer("postgres", (server) => {
  let place: Promise<TestDatabase> | null = null;
  afterAll(async () => {
    await (await place)?.[Symbol.asyncDispose]();
  });
  brokerContract(test.concurrent, async () => databaseFixture(await (place ??= databaseInSchema(server))));
});
