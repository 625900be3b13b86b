import { withServer } from "@framework/services";
import { afterAll, test } from "@jest/globals";
import { postgresFixtures } from "../contract/postgres-fixtures.test-kit.ts";
import { projectionsContract } from "./projections-contract.test-kit.ts";

// One server is enough: the contract tests of the store also run on the newest one.
withServer("postgres", (url) => {
  const fixtures = postgresFixtures(url);
  afterAll(async () => {
    await fixtures[Symbol.asyncDispose]();
  });
  projectionsContract(test, fixtures);
});
