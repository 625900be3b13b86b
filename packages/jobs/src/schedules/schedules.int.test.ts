import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { scheduleFacts } from "./schedules.test-kit.ts";

for (const name of ["postgres", "postgres-newest"])
  withServer(name, (server) => scheduleFacts(test, () => databaseInSchema(server)));
