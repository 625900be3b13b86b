import { expect, test } from "@jest/globals";
import { createBooksApp } from "../app.ts";
import { booksSettings } from "../settings.ts";
import { searchFacts } from "./search-facts.test-kit.ts";

searchFacts(() => createBooksApp(booksSettings({ DATABASE_URL: "sqlite://:memory:", BOOKS_LOG: "silent" })));

test("the service has one broker: two addresses are a mistake at start", () => {
  const env = { KAFKA_BROKERS: "localhost:9092", AMQP_URL: "amqp://localhost" };
  expect(() => booksSettings(env)).toThrow("set one of KAFKA_BROKERS, AMQP_URL and SQS_REGION");
});

test("an endpoint of SQS without its region is a mistake at start", () => {
  expect(() => booksSettings({ SQS_ENDPOINT: "http://localhost:4566" })).toThrow("set SQS_REGION too");
});
