import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { eventStoreContract } from "./event-store-contract.ts";
import { postgresFixture } from "./open-fixture.test-kit.ts";

for (const server of ["postgres", "postgres-newest"])
  withServer(server, (url) => eventStoreContract(test, () => postgresFixture(url)));
