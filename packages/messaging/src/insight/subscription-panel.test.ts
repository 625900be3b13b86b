import { App } from "@framework/core";
import { panelContract, panelProbe } from "@framework/core/testing";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, messaging } from "../index.ts";

const startApp = async () => {
  const handled: string[] = [];
  const app = new (App.with(messaging, panelProbe))().enableMessaging({ broker: memoryBroker() });
  app.messaging
    .subscribe("books", { group: "search" }, ({ id }) => void handled.push(id))
    .subscribe("books", { group: "mail" }, () => {});
  const running = await app.run({
    host: "127.0.0.1",
    port: 0,
    argv: [],
    environment: {},
    workers: 1,
    logs: false,
    exitOnError: false,
  });
  const panel = app.panel("subscriptions");
  const cells = async (at = 0) => (await panel.rows())[at]?.cells;
  await waitFor(async () => (await cells())?.[2] === "running", {
    subject: "the consumer",
    timeoutMs: 60_000,
  });
  const send = async (id: string) =>
    await app.messaging.send("books", { type: "book.created", id, data: {} });
  return { app, panel, handled, cells, send, close: () => running.close() };
};

panelContract(test, startApp);

test("a paused subscription handles no message until it is resumed; others continue", async () => {
  const { panel, handled, cells, send, close } = await startApp();
  const row = "default books search";
  expect((await panel.rows()).map(({ id, actions }) => [id, actions])).toEqual([
    [row, ["pause"]],
    ["default books mail", ["pause"]],
  ]);
  await send("one");
  await waitFor(() => handled.length === 1, { subject: "the first message", timeoutMs: 60_000 });
  expect(await panel.act("pause", row)).toContain("handles no further messages");
  await send("two");
  await waitFor(async () => (await cells(1))?.[5] === 2, { subject: "the other group", timeoutMs: 60_000 });
  expect(handled).toEqual(["one"]);
  expect(await cells()).toEqual([
    "books search",
    "default",
    "paused",
    null,
    0,
    1,
    0,
    0,
    "paused on the dev page",
  ]);
  const [messages] = (await panel.details?.(row)) ?? [];
  expect(messages?.rows.map(({ cells: [label, count] }) => [label, count])).toEqual(
    expect.arrayContaining([
      ["waiting at the broker", 1],
      ["done", 1],
    ]),
  );
  await panel.act("resume", row);
  await waitFor(() => handled.length === 2, { subject: "the second message", timeoutMs: 60_000 });
  expect((await cells())?.slice(2, 4)).toEqual(["running", 1]);
  await close();
});
