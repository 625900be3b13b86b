import { openDatabase, sql } from "@framework/database";
import { databaseInFile, faultingDatabase } from "@framework/database/testing";
import { createKernel } from "@framework/durable/feature";
import { expect, test } from "@jest/globals";
import type { OutgoingMessage } from "../port/delivery.ts";
import { databaseBroker } from "./database-broker.ts";
import { DatabaseProducer } from "./database-producer.ts";
import { dueOf, Groups, queueOf } from "./groups.ts";

const REPLIES = "replies.018f7b0e-6a3c-4a7e-9c55-2d1f0a7f3b11";

const message = (delayMs: number): OutgoingMessage => ({
  id: String(delayMs),
  topic: "books",
  key: null,
  headers: { "content-type": "application/json" },
  body: String(delayMs),
  delayMs,
});

/** Options of a send without a time limit. */
const options = { signal: new AbortController().signal };

test("a group adopts the due messages of its topic by an index, or all earlier messages", async () => {
  await using storage = databaseInFile();
  const db = openDatabase({ url: storage.url });
  const kernel = createKernel(db, { config: { runWork: false }, log: console });
  databaseBroker(kernel);
  await kernel.start();
  const groups = new Groups(kernel);
  const producer = new DatabaseProducer(kernel, groups);
  const adopted = (): Promise<unknown[]> =>
    db.fetchAll`SELECT payload FROM framework_work WHERE queue = 'message:books:search' ORDER BY id`;

  await producer.send([message(0), message(60_000)], options);
  expect(await groups.adopt("books", "search", "key", "due")).toBe(true);
  expect(await adopted()).toEqual([{ payload: "0" }]);
  expect(await groups.adopt("books", "search", "key", "due")).toBe(false);
  expect(await groups.adopt("books", "search", "key", "all")).toBe(true);
  expect(await adopted()).toEqual([{ payload: "0" }, { payload: "60000" }]);
  const plan = await db.fetchAll<{
    detail: string;
  }>`EXPLAIN QUERY PLAN SELECT id FROM framework_work WHERE ${dueOf("q")} LIMIT 1`;
  expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining("INDEX framework_work_ready")]);
  await kernel.stop();
  await db.close();
});

test("two statements find all unread groups, however many there are", async () => {
  await using storage = databaseInFile();
  const inner = openDatabase({ url: storage.url });
  const db = faultingDatabase(inner); // counts statements
  const kernel = createKernel(db, { config: { runWork: false }, log: console });
  databaseBroker(kernel);
  await kernel.start();
  const groups = new Groups(kernel);
  const long = "a".repeat(200); // its queue name is hashed
  for (const topic of ["books", "orders", long])
    await groups.register(
      ["mailer", "search"].map((name) => ({ topic, name, ordering: "none", isPrivate: false })),
    );
  const added = await new DatabaseProducer(kernel, groups).send(
    ["books", "orders", long].map((topic) => ({ ...message(0), topic })),
    options,
  );
  expect(added).toEqual([{ ok: true }, { ok: true }, { ok: true }]);
  expect(await groups.unread()).toEqual([]);
  for (const [topic, name] of [
    [long, "search"],
    ["books", "mailer"],
  ] as const)
    await db.execute`UPDATE framework_work SET run_at = run_at - 86400001 WHERE queue = ${queueOf(topic, name)}`;
  const { statements } = db;
  expect(await groups.unread()).toEqual([
    { topic: long, name: "search" },
    { topic: "books", name: "mailer" },
  ]);
  expect(db.statements - statements).toBe(2);
  await kernel.stop();
  await inner.close();
});

test("a private group is removed with its messages an hour after its last registration, and later replies are dropped", async () => {
  await using storage = databaseInFile();
  const db = openDatabase({ url: storage.url });
  const now = sql`(SELECT ms FROM test_time)`;
  await db.execute`CREATE TABLE test_time (ms INTEGER NOT NULL)`;
  await db.execute`INSERT INTO test_time (ms) VALUES (1000000)`;
  const later = (ms: number): Promise<unknown> => db.execute`UPDATE test_time SET ms = ms + ${ms}`;
  const kernel = createKernel(db, { config: { runWork: false }, log: console, now });
  databaseBroker(kernel);
  await kernel.start();
  const groups = new Groups(kernel);
  const producer = new DatabaseProducer(kernel, groups);
  const reply = { ...message(0), topic: REPLIES };
  const rows = () => db.fetchValue<number>`SELECT count(*) FROM framework_work`;

  await groups.register([{ topic: "books", name: "search", ordering: "none", isPrivate: false }]);
  await groups.register([{ topic: REPLIES, name: "dead", ordering: "none", isPrivate: true }]);
  await producer.send([reply], options);
  await later(3_000_000);
  await groups.register([{ topic: REPLIES, name: "dead", ordering: "none", isPrivate: true }]);
  await later(3_600_000);
  await groups.prune();
  expect(await rows()).toBe(1);
  await later(1);
  await groups.prune();
  expect(await rows()).toBe(0);
  expect(await producer.send([reply], options)).toEqual([{ ok: true }]);
  expect(await rows()).toBe(0);
  await later(36_000_000);
  await groups.prune();
  expect(await groups.of("books")).toEqual([{ queue: "message:books:search", ordering: "none" }]);
  await kernel.stop();
  await db.close();
});
