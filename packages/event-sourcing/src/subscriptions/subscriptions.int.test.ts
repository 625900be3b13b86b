import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { postgresFixture } from "../contract/open-fixture.test-kit.ts";
import { subscriptionsContract } from "./subscription-facts.test-kit.ts";

for (const server of ["postgres", "postgres-newest"])
  withServer(server, (url) => subscriptionsContract(test, () => postgresFixture(url)));
