import { withServer } from "@framework/services";
import { afterAll, test } from "@jest/globals";
import { eventStoreContract } from "./event-store-contract.ts";
import { postgresFixtures } from "./postgres-fixtures.test-kit.ts";

for (const server of ["postgres", "postgres-newest"])
  withServer(server, (url) => {
    const fixtures = postgresFixtures(url);
    afterAll(async () => {
      await fixtures[Symbol.asyncDispose]();
    });
    eventStoreContract(test, fixtures);
  });
