import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { lendingFacts } from "./lending-facts.test-kit.ts";

withServer("postgres", (server) => {
  lendingFacts(test, () => databaseInSchema(server));
});
