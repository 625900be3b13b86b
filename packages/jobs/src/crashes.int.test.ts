import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { crashFacts } from "./crashes.test-kit.ts";

for (const name of ["postgres", "postgres-newest"])
  withServer(name, (server) => crashFacts(test, () => databaseInSchema(server)));
