import { sagaRunnerContract } from "@framework/saga/testing";
import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { dbosFixture } from "./testing/dbos-fixture.test-kit.ts";

withServer("postgres", (server) =>
  sagaRunnerContract(test, async () => dbosFixture(await databaseInSchema(server), server)),
);
