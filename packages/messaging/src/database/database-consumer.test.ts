import { virtualClock } from "@framework/core/testing";
import { openDatabase } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { createKernel } from "@framework/durable/feature";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { TestSink } from "../contract/test-process.ts";
import { databaseBroker } from "./database-broker.ts";

const quiet = { info() {}, warn() {}, error() {} };
const long = { timeoutMs: 60_000 };

test("the group of a topic that ends with its process is registered again every minute, and removed at the end", async () => {
  await using place = databaseInFile();
  const db = openDatabase({ url: place.url });
  const kernel = createKernel(db, { log: quiet });
  const adapter = databaseBroker(kernel);
  await kernel.start();
  const clock = virtualClock();
  const sink = new TestSink(10);
  const broker = adapter.open({ name: "default", instance: "one", clock, random: () => 0, log: quiet });
  const consumer = broker.consumer({
    topics: ["replies.one"],
    pattern: null,
    group: "one",
    order: "none",
    prefetch: 10,
    from: "latest",
    isPrivate: true,
    timeoutMs: 1000,
    sink,
  });
  const groups = () => db.fetchValue<number>`SELECT count(*) FROM framework_message_groups`;
  consumer.start();
  await waitFor(() => sink.states.includes("running"), long);
  expect(await groups()).toBe(1);
  await db.execute`DELETE FROM framework_message_groups`; // as another process does that took this one for dead
  await clock.advance(60_000);
  await waitFor(async () => (await groups()) === 1, long);
  await consumer.close();
  expect(await groups()).toBe(0);
  await kernel.stop();
  await db.close();
});
