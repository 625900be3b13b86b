import { App, ConfigurationError } from "@framework/core";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { saga, sagas } from "@framework/saga";
import { expect, test } from "@jest/globals";
import { dbosRunner } from "./index.ts";

test("the message about an invalid URL leaves out its password", () => {
  const wrong = () => dbosRunner({ url: "mysql://user:opensesame@host/db" });
  expect(wrong).toThrow(/DbosRunnerConfig\.url must be the URL of a PostgreSQL database, such as \S+$/);
});

test("a missing URL is reported at start, together with all other configuration errors", async () => {
  await using storage = databaseInFile();
  const app = new (App.with(database, durable, sagas))()
    .enableDatabase({ url: storage.url })
    .enableSaga({ runner: dbosRunner({}) });
  const order = saga("twice", 1)
    .call("work", () => 1)
    .build();
  app.saga.define(order).define(order);
  const error: unknown = await app.start().catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect((error as ConfigurationError).problems.map(({ code }) => code).toSorted()).toEqual([
    "SAGA_BAD_DEFINITION",
    "SAGA_DBOS_NO_URL",
  ]);
});
