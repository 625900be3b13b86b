import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { jobFacts } from "./jobs.test-kit.ts";

for (const name of ["postgres", "postgres-newest"])
  withServer(name, (server) => jobFacts(test, () => databaseInSchema(server)));
