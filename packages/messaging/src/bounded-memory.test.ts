import { App } from "@framework/core";
import { databaseInFile } from "@framework/database/testing";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { databaseFixture } from "./contract/database-fixture.test-kit.ts";
import { measureStalledHandler } from "./contract/stalled-handler.ts";
import { memoryBroker, messaging } from "./index.ts";

const quiet = { info() {}, warn() {}, error() {} };

/** Number of waiting messages; a million takes some minutes. */
const WAITING = Number(process.env["FRAMEWORK_WAITING"] ?? 20_000);
/** Maximum count of a queue on the database. */
const MAX_COUNTED = 100_000;

const until = (holds: () => boolean): Promise<unknown> =>
  waitFor(holds, { timeoutMs: 60_000, intervalMs: 3 });

test("with a stalled handler and many waiting messages, a process on the database holds only its prefetch", async () => {
  await using storage = databaseInFile();
  const fixture = databaseFixture(storage);
  const { grownMib, ...counts } = await measureStalledHandler(fixture, { messages: WAITING });
  await fixture.close?.();
  if (WAITING > 20_000) console.log(`${WAITING} messages wait; ${grownMib.toFixed(1)} MiB are held`);
  expect(counts).toEqual({ inFlight: 4, received: 10, waiting: Math.min(WAITING - 10, MAX_COUNTED) });
  expect(grownMib).toBeLessThan(8); // all messages together have 20 MiB or more
}, 1_800_000);

test("an in-memory broker refuses messages above maxMessages, and accepts new ones after handlers have ended", async () => {
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

test("an in-memory broker applies maxMessages to a topic without a group", async () => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker({ maxMessages: 2 }) });
  await app.start({ log: quiet });
  await app.messaging.sendAll("orders", [{ type: "t" }, { type: "t" }]);
  await expect(app.messaging.send("orders", { type: "t" })).rejects.toMatchObject({ status: 503 });
  await app.stop();
});
