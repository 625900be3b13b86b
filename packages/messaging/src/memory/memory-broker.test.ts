import { App } from "@framework/core";
import { virtualClock } from "@framework/core/testing";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, messaging } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };

test("a delayed message that was sent before its topic had a group is delivered at its due time", async () => {
  const clock = virtualClock();
  const broker = memoryBroker({ clock });
  const sender = new (App.with(messaging))().enableMessaging({ broker, clock, drainMs: 0 });
  await sender.start({ log: quiet });
  await sender.messaging.send("books", { type: "t", id: "later" }, { delayMs: 60_000 });
  await sender.messaging.send("books", { type: "t", id: "now" });
  await clock.advance(20_000);
  const app = new (App.with(messaging))().enableMessaging({ broker, clock, drainMs: 0 });
  const got: string[] = [];
  app.messaging.subscribe("books", { group: "search" }, ({ id }) => void got.push(id));
  await app.start({ log: quiet });
  await waitFor(() => got.length > 0, { timeoutMs: 60_000 });
  await clock.advance(39_999);
  expect(got).toEqual(["now"]);
  await clock.advance(1);
  await waitFor(() => got.length === 2, { timeoutMs: 60_000 });
  for (const each of [sender, app]) {
    const stopping = each.stop();
    await clock.advance(1);
    await stopping;
  }
});
