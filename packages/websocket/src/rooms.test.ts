import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { websocket } from "./index.ts";
import { collect, serve } from "./socket-app.test-kit.ts";

test("a send to a room rejects if it has not reached every worker", async () => {
  let isComplete = false;
  const lossy: Feature = {
    name: "lossy",
    install: (host) => {
      host.state.provideShared({
        values: (own) => ({
          ...own,
          publish: async (channel, message) => (await own.publish(channel, message)) && isComplete,
        }),
      });
      return {};
    },
  };
  const app = new (App.with(lossy, websocket))();
  app.websocket("/", () => {});
  app.post("/hello", () => app.room("a").sendText("hello"));
  await using _client = testClient(app);
  await app.start();
  await expect(app.room("a").sendText("hello")).rejects.toMatchObject({
    code: "WEBSOCKET_BROADCAST_INCOMPLETE",
    message: expect.stringContaining('"a"'),
  });
  const reply = await app.fetch(new Request("http://localhost/hello", { method: "POST" }));
  expect([reply.status, reply.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await reply.text()).not.toContain('"a"');
  isComplete = true;
  await expect(app.room("a").sendText("hello")).resolves.toBeUndefined();
});

test.each([
  ["quotes", '"'.repeat(45_000)],
  ["control characters", "\u0001".repeat(45_000)],
  ["letters of two bytes", "é".repeat(22_500)],
  ["short strings as JSON", JSON.stringify(Array.from({ length: 11_000 }, () => "a"))],
  ["nothing", ""],
])("a room accepts up to 45,000 bytes of text, regardless of their size in JSON: %s", async (_name, text) => {
  await using service = await serve((app) => {
    app.websocket("/", async (socket) => {
      socket.join("a");
      await socket.recv();
    });
  });
  const client = await service.open("/");
  await waitFor(() => service.app.room("a").localSize === 1);
  await service.app.room("a").sendText(text);
  await waitFor(() => collect(client).texts.length === 1);
  expect(collect(client).texts).toEqual([text]);
  await expect(service.app.room("a").sendText("é".repeat(22_501))).rejects.toMatchObject({
    code: "WEBSOCKET_BROADCAST_TOO_LARGE",
  });
});

test("a room reaches its members except the sender", async () => {
  await using s = await serve((app) => {
    app.websocket("/rooms/{room}", async (socket, { params }) => {
      socket.join(params.room);
      await socket.sendText("joined");
      for await (const message of socket)
        await app.room(params.room).sendText(message.text, { except: socket });
    });
  });
  const [ada, bob, eve] = await Promise.all([s.open("/rooms/a"), s.open("/rooms/a"), s.open("/rooms/b")]);
  const [seenByAda, seenByBob, seenByEve] = [ada, bob, eve].map((client) => collect(client).texts);
  await waitFor(() => s.app.room("a").localSize === 2 && s.app.room("b").localSize === 1);
  ada.send("hello");
  await waitFor(() => seenByBob?.includes("hello") ?? false);
  await s.app.room("b").sendJson({ n: 1 });
  await s.app.room("b").sendBinary(Uint8Array.of(1, 2));
  await waitFor(() => seenByEve?.includes("binary:0102") ?? false);
  expect(seenByAda).not.toContain("hello");
  expect(seenByEve?.filter((text) => text !== "joined")).toEqual(['{"n":1}', "binary:0102"]);
  bob.close();
  await waitFor(() => s.app.room("a").localSize === 1);
  await expect(s.app.room("a").sendText("x".repeat(45_001))).rejects.toMatchObject({
    code: "WEBSOCKET_BROADCAST_TOO_LARGE",
  });
});

test("a message to a room is an error that names the cause, if the app has no WebSocket route or has not started", async () => {
  const without = await new (App.with(websocket))().start();
  await expect(without.room("a").sendText("hello")).rejects.toMatchObject({
    code: "WEBSOCKET_NO_ROUTE",
    message: expect.stringContaining("add one with app.websocket(path, handler) before the start"),
  });
  await without.stop();
  const early = new (App.with(websocket))();
  early.websocket("/", () => {});
  await expect(early.room("a").sendText("hello")).rejects.toMatchObject({ code: "WEBSOCKET_NOT_STARTED" });
});
