import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { postgresFixture } from "../contract/open-fixture.test-kit.ts";
import { projectionsContract } from "./projections-contract.test-kit.ts";

for (const server of ["postgres", "postgres-newest"])
  withServer(server, (url) => projectionsContract(test, () => postgresFixture(url)));
