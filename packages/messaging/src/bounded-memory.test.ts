import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { App } from "@framework/core";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, messaging } from "./index.ts";

const quiet = { info() {}, warn() {}, error() {} };

/** Messages that wait for a stalled handler; a million takes some minutes. */
const WAITING = Number(process.env["FRAMEWORK_WAITING"] ?? 20_000);

const MIB = 1_048_576;
const until = (holds: () => boolean): Promise<unknown> =>
  waitFor(holds, { timeoutMs: 60_000, intervalMs: 3 });

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const heapAfterCollection = (): number => {
  collect();
  return process.memoryUsage().heapUsed;
};

test("with a stalled handler and many waiting messages, a process on the database holds its prefetch and no more", async () => {
  await using place = databaseInFile();
  const app = new (App.with(database, durable, messaging))()
    .enableDatabase({ url: place.url })
    .enableMessaging({ drainMs: 10 });
  const stalled = Promise.withResolvers<void>();
  app.messaging.subscribe("orders", { group: "bill", concurrency: 4, prefetch: 10 }, () => stalled.promise);
  await app.start({ log: quiet });
  await app.messaging.send("orders", { type: "t", data: "first" });
  await until(() => app.messaging.status()[0]?.inFlight === 1);
  const before = heapAfterCollection();
  const data = "x".repeat(1000);
  for (let sent = 0; sent < WAITING; sent += 5000)
    await app.messaging.sendAll(
      "orders",
      Array.from({ length: 5000 }, () => ({ type: "t", data })),
    );
  await until(() => app.messaging.status()[0]?.received === 10);
  const grownMib = (heapAfterCollection() - before) / MIB;
  if (WAITING > 20_000)
    console.log(`${WAITING} messages wait; the heap has grown by ${grownMib.toFixed(1)} MiB`);
  expect(app.messaging.status()[0]).toMatchObject({ inFlight: 4, received: 10 });
  expect(grownMib).toBeLessThan(8); // the messages have 20 MiB and more
  stalled.resolve();
  await app.stop();
}, 900_000);

test("a broker in memory refuses messages above its bound, and takes them again later", async () => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker({ maxMessages: 100 }) });
  const stalled = Promise.withResolvers<void>();
  app.messaging.subscribe("orders", { group: "bill", concurrency: 1 }, () => stalled.promise);
  await app.start({ log: quiet });
  const message = { type: "t", data: 1 };
  await app.messaging.sendAll("orders", Array(100).fill(message));
  await expect(app.messaging.send("orders", message)).rejects.toMatchObject({
    code: "MESSAGING_SEND_FAILED",
    status: 503,
  });
  stalled.resolve();
  await until(() => app.messaging.status()[0]?.done === 100);
  await app.messaging.send("orders", message);
  await until(() => app.messaging.status()[0]?.done === 101);
  await app.stop();
});

test("a broker in memory refuses messages above its bound of a topic without a group", async () => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker({ maxMessages: 2 }) });
  await app.start({ log: quiet });
  await app.messaging.sendAll("orders", [{ type: "t" }, { type: "t" }]);
  await expect(app.messaging.send("orders", { type: "t" })).rejects.toMatchObject({ status: 503 });
  await app.stop();
});
