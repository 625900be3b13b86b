import { expect, test } from "@jest/globals";
import { createBooksApp } from "../app.ts";
import { booksSettings } from "../settings.ts";
import { searchFacts } from "./search-facts.test-kit.ts";

searchFacts(() => createBooksApp(booksSettings({ DATABASE_URL: "sqlite://:memory:", BOOKS_LOG: "silent" })));

test("addresses of two brokers are a start error", () => {
  const env = { KAFKA_BROKERS: "localhost:9092", AMQP_URL: "amqp://localhost" };
  expect(() => booksSettings(env)).toThrow("set one of KAFKA_BROKERS, AMQP_URL and SQS_REGION");
});

test("an endpoint of SQS without a region is a start error", () => {
  expect(() => booksSettings({ SQS_ENDPOINT: "http://localhost:4566" })).toThrow("also set SQS_REGION");
});
