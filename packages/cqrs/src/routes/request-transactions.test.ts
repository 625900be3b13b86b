import { App, Depends } from "@framework/core";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { newLog } from "../counters.test-kit.ts";
import { cqrs, RequestTransaction } from "../index.ts";
import { requestTransactions } from "./request-transactions.test-kit.ts";

requestTransactions(test, databaseInFile);

test("a handler that uses the transaction without naming it in inject gets 500, and the log names the remedy", async () => {
  const app = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  app.post("/", (_request, tx = Depends(RequestTransaction)) => typeof tx);
  const log = newLog();
  await app.start({ log });
  await using client = testClient(app);
  expect((await client.post("/")).status).toBe(500);
  expect(log.lines.map(({ message }) => message).join("\n")).toContain("name it in `inject` of the route");
});
