import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { localFixture } from "./testing/local-fixture.test-kit.ts";
import { sagaRunnerContract } from "./testing.ts";

withServer("postgres", (server) =>
  sagaRunnerContract(test, async () => localFixture(await databaseInSchema(server))),
);
