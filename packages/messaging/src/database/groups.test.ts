import { openDatabase } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { createKernel } from "@framework/durable/feature";
import { expect, test } from "@jest/globals";
import type { OutgoingMessage } from "../port/delivery.ts";
import { databaseBroker } from "./database-broker.ts";
import { DatabaseProducer } from "./database-producer.ts";
import { dueOf, Groups } from "./groups.ts";

const message = (delayMs: number): OutgoingMessage => ({
  id: String(delayMs),
  topic: "books",
  key: null,
  headers: { "content-type": "application/json" },
  body: String(delayMs),
  delayMs,
});

test("messages that were sent before a topic had a group are given to the first: all when it registers, later those that are due", async () => {
  await using place = databaseInFile();
  const db = openDatabase({ url: place.url });
  const kernel = createKernel(db, { config: { runWork: false }, log: console });
  databaseBroker(kernel);
  await kernel.start();
  const groups = new Groups(kernel);
  const producer = new DatabaseProducer(kernel, groups);
  const given = (): Promise<unknown[]> =>
    db.fetchAll`SELECT payload FROM framework_work WHERE queue = 'message:books:search' ORDER BY id`;

  await producer.send([message(0), message(60_000)]);
  expect(await groups.adopt("books", "search", "key", "due")).toBe(true);
  expect(await given()).toEqual([{ payload: "0" }]);
  expect(await groups.adopt("books", "search", "key", "due")).toBe(false);
  expect(await groups.adopt("books", "search", "key", "all")).toBe(true);
  expect(await given()).toEqual([{ payload: "0" }, { payload: "60000" }]);
  const plan = await db.fetchAll<{
    detail: string;
  }>`EXPLAIN QUERY PLAN SELECT id FROM framework_work WHERE ${dueOf("q")} LIMIT 1`;
  expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining("INDEX framework_work_ready")]);
  await kernel.stop();
  await db.close();
});
