import { randomUUID } from "node:crypto";
import { virtualClock } from "@framework/core/testing";
import { openDatabase } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { createKernel } from "@framework/durable/feature";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { shortPause } from "../contract/harness/until.ts";
import { TestSink } from "../contract/harness/test-process.ts";
import { databaseBroker } from "./database-broker.ts";

const quiet = { info() {}, warn() {}, error() {} };
const long = { timeoutMs: 60_000 };

/** Options of a consumer of a private topic. */
const privateOptions = {
  pattern: null,
  group: "one",
  order: "none",
  prefetch: 10,
  from: "latest",
  isPrivate: true,
  timeoutMs: 1000,
} as const;

test("a private group is registered every minute, and removed when its consumer closes", async () => {
  await using storage = databaseInFile();
  const db = openDatabase({ url: storage.url });
  const kernel = createKernel(db, { log: quiet });
  const adapter = databaseBroker(kernel);
  await kernel.start();
  const clock = virtualClock();
  const sink = new TestSink(10);
  const broker = adapter.open({ name: "default", instance: "one", clock, random: () => 0, log: quiet });
  const consumer = broker.consumer({ ...privateOptions, topics: ["replies.one"], sink });
  const groups = () => db.fetchValue<number>`SELECT count(*) FROM framework_message_groups`;
  consumer.start();
  await waitFor(() => sink.states.includes("running"), long);
  expect(await groups()).toBe(1);
  await db.execute`DELETE FROM framework_message_groups`; // like a process that prunes groups of dead processes
  await clock.advance(60_000);
  await waitFor(async () => (await groups()) === 1, long);
  await consumer.close();
  expect(await groups()).toBe(0);
  await kernel.stop();
  await db.close();
});

test("closing a consumer waits for a running registration before it removes the group", async () => {
  await using storage = databaseInFile();
  const db = openDatabase({ url: storage.url });
  await using kernel = createKernel(db, { log: quiet });
  const gate = Promise.withResolvers<void>();
  const wait = { isEnabled: false, begun: Promise.withResolvers<void>() };
  const transaction: typeof kernel.transaction = async (run) => {
    if (wait.isEnabled) {
      wait.isEnabled = false;
      wait.begun.resolve();
      await gate.promise;
    }
    return await kernel.transaction(run);
  };
  const adapter = databaseBroker(
    Object.create(kernel, { transaction: { value: transaction } }) as typeof kernel,
  );
  await kernel.start();
  const clock = virtualClock();
  const sink = new TestSink(10);
  const topic = `replies.${randomUUID()}`;
  const broker = adapter.open({ name: "default", instance: "one", clock, random: () => 0, log: quiet });
  const consumer = broker.consumer({ ...privateOptions, topics: [topic], sink });
  consumer.start();
  await waitFor(() => sink.states.includes("running"), long);
  wait.isEnabled = true;
  await clock.advance(60_000);
  await wait.begun.promise;
  const closing = consumer.close();
  await shortPause();
  gate.resolve();
  await closing;
  await shortPause();
  expect(await db.fetchValue`SELECT count(*) FROM framework_message_groups`).toBe(0);
  await kernel.stop();
  await db.close();
});

test.each([
  [true, 1],
  [false, 0],
])("with runWork %p, the lag of one waiting message is %d", async (runWork, lag) => {
  await using storage = databaseInFile();
  const db = openDatabase({ url: storage.url });
  const kernel = createKernel(db, { log: quiet, config: { runWork } });
  const adapter = databaseBroker(kernel);
  await kernel.start();
  const sink = new TestSink(0); // accepts nothing
  const clock = virtualClock();
  const broker = adapter.open({ name: "default", instance: "one", clock, random: () => 0, log: quiet });
  const shared = { ...privateOptions, isPrivate: false, from: "earliest" } as const;
  const consumer = broker.consumer({ ...shared, topics: ["books"], sink });
  consumer.start();
  await waitFor(() => sink.states.includes("running"), long);
  const message = { topic: "books", id: "1", key: null, headers: {}, body: "1", delayMs: 0 };
  await broker.producer.send([message], { signal: AbortSignal.timeout(60_000) });
  expect(await consumer.lag()).toBe(lag);
  await consumer.close();
  await kernel.stop();
  await db.close();
});
