import { databaseInSchema, type TestDatabase } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { afterAll, describe } from "@jest/globals";
import { createBooksApp } from "../app.ts";
import { booksSettings } from "../settings.ts";
import { searchFacts } from "./search-facts.test-kit.ts";

process.env["AWS_ACCESS_KEY_ID"] = process.env["AWS_SECRET_ACCESS_KEY"] = "test"; // the emulator accepts any credentials

const brokers = {
  rabbitmq: (address: string) => ({ AMQP_URL: address }),
  sqs: (address: string) => ({ SQS_REGION: "us-east-1", SQS_ENDPOINT: address }),
} as const;

withServer("postgres", (server) => {
  describe.each(["rabbitmq", "sqs"] as const)("on %s", (name) => {
    withServer(name, (address) => {
      let schema: TestDatabase | null = null;
      afterAll(async () => await schema?.[Symbol.asyncDispose]());
      searchFacts(async () => {
        schema = await databaseInSchema(server);
        const env = { DATABASE_URL: schema.url, BOOKS_LOG: "silent", ...brokers[name](address) };
        return createBooksApp(booksSettings(env));
      });
    });
  });
});
