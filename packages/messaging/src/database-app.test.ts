import { App } from "@framework/core";
import { databaseInFile } from "@framework/database/testing";
import { expect, test } from "@jest/globals";
import { databaseAppFacts } from "./database-app.test-kit.ts";
import { messaging } from "./index.ts";

databaseAppFacts(test.concurrent, databaseInFile);

test("messaging without a broker and without a database is a start error", async () => {
  const app = new (App.with(messaging))().enableMessaging();
  await expect(app.start({ log: { info() {}, warn() {}, error() {} } })).rejects.toThrow(
    "compose database and durable before messaging",
  );
});
