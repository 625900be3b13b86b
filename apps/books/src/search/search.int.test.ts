import { databaseInSchema, type TestDatabase } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { afterAll } from "@jest/globals";
import { createBooksApp } from "../app.ts";
import { booksSettings } from "../settings.ts";
import { searchFacts } from "./search-facts.test-kit.ts";

withServer("postgres", (server) => {
  withServer("rabbitmq", (AMQP_URL) => {
    let schema: TestDatabase | null = null;
    afterAll(async () => await schema?.[Symbol.asyncDispose]());
    searchFacts(async () => {
      schema = await databaseInSchema(server);
      return createBooksApp(booksSettings({ DATABASE_URL: schema.url, AMQP_URL, BOOKS_LOG: "silent" }));
    });
  });
});
