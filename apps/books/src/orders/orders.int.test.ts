import { databaseInSchema } from "@framework/database/testing";
import { sharedSchema, withServer } from "@framework/services";
import { afterAll, describe, test } from "@jest/globals";
import { orderFacts } from "./order-facts.test-kit.ts";

withServer("postgres", (server) => {
  describe("on the database", () => {
    orderFacts(test, () => databaseInSchema(server));
  });
  describe("on DBOS", () => {
    const dbos = sharedSchema(server);
    afterAll(async () => {
      await dbos[Symbol.asyncDispose]();
    });
    const make = async () => {
      await dbos.clear();
      return await databaseInSchema(server);
    };
    orderFacts(test, make, () => ({ BOOKS_SAGAS: "dbos", BOOKS_DBOS_SCHEMA: dbos.name }));
  });
});
