import { randomUUID } from "node:crypto";
import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { describe, test } from "@jest/globals";
import { orderFacts } from "./order-facts.test-kit.ts";

withServer("postgres", (server) => {
  describe("on the database", () => {
    orderFacts(test, () => databaseInSchema(server));
  });
  describe("on DBOS", () => {
    orderFacts(
      test,
      () => databaseInSchema(server),
      () => ({ BOOKS_SAGAS: "dbos", BOOKS_DBOS_SCHEMA: `dbos_${randomUUID().replaceAll("-", "")}` }),
    );
  });
});
