import { App } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, messaging } from "../index.ts";

test("maxMessageBytes limits the UTF-8 bytes of a received string body", async () => {
  const broker = memoryBroker();
  const appWith = (config: object) => new (App.with(messaging))().enableMessaging({ broker, ...config });
  const [app, strict] = [appWith({}), appWith({ maxMessageBytes: 4096 })];
  const deadCodes: (string | undefined)[] = [];
  strict.messaging.subscribe("books", { group: "a" }, () => {});
  app.messaging.subscribe("books.a.dlq", { group: "dead" }, ({ headers }) => {
    deadCodes.push(headers["framework-dead-code"]);
  });
  const log = { info() {}, warn() {}, error() {} };
  await Promise.all([app.start({ log }), strict.start({ log })]);
  await app.messaging.send("books", { type: "t", data: "é".repeat(2048) }); // fewer than 4096 characters
  await waitFor(() => app.messaging.status().some(({ done }) => done > 0), { timeoutMs: 60_000 });
  await Promise.all([app.stop(), strict.stop()]);
  expect(deadCodes).toEqual(["MESSAGING_TOO_LARGE"]);
});
