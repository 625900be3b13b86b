import { App } from "@framework/core";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type BatchVerdict, memoryBroker, messaging } from "../index.ts";

test("each message of a batch has its own verdict, even if ids of different sources are equal", async () => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
  const batches: string[][] = [];
  app.messaging.subscribeBatch(
    "books",
    { group: "search", batch: { size: 5, waitMs: 60_000 } },
    (messages) => {
      batches.push(messages.map(({ id, source }) => `${source}${id}`));
      return new Map(
        messages.map(({ id, source }): [string, BatchVerdict] => [
          id,
          source === "/a" ? { reject: `bad ${id}` } : "ack",
        ]),
      );
    },
  );
  const dead: string[] = [];
  app.messaging.subscribe("books.search.dlq", { group: "dead" }, ({ source, headers }) => {
    dead.push(`${source} ${headers["framework-dead-message"]}`);
  });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const sent = ["/a1", "/b1", "/a2", "/b3", "/b3"].map((name) => ({
    type: "t",
    source: name.slice(0, 2),
    id: name.slice(2),
  }));
  await app.messaging.sendAll("books", sent);
  await waitFor(() => dead.length === 2 && app.messaging.status()[0]?.done === 3, { timeoutMs: 60_000 });
  expect(dead.toSorted()).toEqual(["/a messaging: bad 1", "/a messaging: bad 2"]);
  expect(batches).toEqual([["/a1", "/a2", "/b3", "/b3"], ["/b1"]]);
  await app.stop();
});

test("a batch that is split into several calls begins no call after its time limit", async () => {
  const clock = virtualClock();
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker({ clock }), clock });
  const calls: string[] = [];
  const first = Promise.withResolvers<void>();
  app.messaging.subscribeBatch(
    "books",
    {
      group: "search",
      batch: { size: 2, waitMs: 60_000 },
      timeoutMs: 1000,
      retry: { quickTries: 1, delaysMs: [] },
    },
    async (messages) => {
      calls.push(messages.map(({ source }) => source).join());
      await first.promise; // ignores its signal
      return new Map(messages.map(({ id }) => [id, "ack"] as const));
    },
  );
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const sent = ["/a", "/b"].map((source) => ({ type: "t", id: "1", source }));
  await app.messaging.sendAll("books", sent);
  await waitFor(() => calls.length === 1, { timeoutMs: 60_000 });
  await clock.advance(1000);
  first.resolve();
  await waitFor(() => app.messaging.status()[0]?.deadLettered === 2, { timeoutMs: 60_000 });
  expect(calls).toEqual(["/a"]);
  await app.stop();
});

test("an invalid verdict, or one with an invalid reason, does not affect the other messages of its batch", async () => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
  const retry = { quickTries: 2, quickDelayMs: 0, delaysMs: [] };
  const verdicts = new Map<string, unknown>([
    ["1", null],
    ["2", { retry: null }],
    ["3", { retry: undefined }],
    ["4", "ack"],
    ["5", { reject: Symbol("bad") }],
    ["6", { reject: Object.create(null) }],
  ]);
  app.messaging.subscribeBatch(
    "books",
    { group: "search", batch: { size: 6, waitMs: 60_000 }, retry },
    () => verdicts as ReadonlyMap<string, BatchVerdict>,
  );
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const status = () => app.messaging.status()[0];
  await app.messaging.sendAll(
    "books",
    ["1", "2", "3", "4", "5", "6"].map((id) => ({ type: "t", id })),
  );
  await waitFor(() => (status()?.done ?? 0) > 0, { timeoutMs: 60_000 });
  expect([status()?.done, status()?.retries, status()?.deadLettered]).toEqual([1, 3, 2]);
  await app.stop();
});
