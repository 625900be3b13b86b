import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { attemptFacts } from "./attempts.test-kit.ts";
import { jobFacts } from "./jobs.test-kit.ts";

for (const name of ["postgres", "postgres-newest"])
  withServer(name, (server) => {
    const make = () => databaseInSchema(server);
    jobFacts(test, make);
    attemptFacts(test, make);
  });
