import { sagaRunnerContract } from "@framework/saga/testing";
import { withServer } from "@framework/services";
import { afterAll, test } from "@jest/globals";
import { dbosFixtures } from "./testing/dbos-fixture.test-kit.ts";

withServer("postgres", (server) => {
  const fixtures = dbosFixtures(server);
  afterAll(async () => {
    await fixtures[Symbol.asyncDispose]();
  });
  sagaRunnerContract(test, fixtures);
});
