import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { websocket } from "./index.ts";
import { collect, serveApp } from "./socket-app.test-kit.ts";

test("a connection is an operation from its upgrade to its end, and each message is an operation within it", async () => {
  const seen: string[] = [];
  const current: (string | undefined)[] = [];
  const recorder: Feature<{ readonly note: () => void }> = {
    name: "recorder",
    install: ({ insight }) => {
      insight.onOperation({
        kinds: ["websocket"],
        start: ({ name, role, parent }) => seen.push(`start ${role} ${name} in ${parent?.role ?? "none"}`),
        error: ({ role, error }) => seen.push(`error ${role} ${error?.message}`),
        end: ({ role, attributes }) => seen.push(`end ${role} ${Number(attributes["websocket.close_code"])}`),
      });
      return { note: () => void current.push(insight.currentOperation()?.role) };
    },
  };
  const app = new (App.with(websocket, recorder))();
  app.websocket("/rooms/{id}", async (socket) => {
    app.note();
    await socket.each(async ({ text }) => {
      app.note();
      if (text === "fail") throw new Error("a bug");
    });
  });
  await using service = await serveApp(app);
  const client = await service.open("/rooms/7");
  client.send("hello");
  client.send("fail");
  await collect(client).closed;
  await waitFor(() => seen.length === 8);
  expect(seen).toEqual([
    "start server /rooms/{id} in none",
    "start consumer /rooms/{id} in server",
    "end consumer NaN",
    "start consumer /rooms/{id} in server",
    "error consumer a bug",
    "end consumer NaN",
    "error server a bug",
    "end server 1011",
  ]);
  expect(current).toEqual(["server", "consumer", "consumer"]);
});
