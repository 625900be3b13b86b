import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type ServerSocket, websocket } from "./index.ts";
import { collect, serveApp } from "./socket-app.test-kit.ts";

/** Reads the metric of received messages. */
const meter: Feature<{ readonly received: () => number }> = {
  name: "meter",
  install: ({ insight }) => ({
    received: () => {
      const metric = insight.metrics().find(({ name }) => name === "websocket_messages_received_total");
      return metric?.read() as number;
    },
  }),
};

test("a client that sends many empty messages is paused until half of the queued messages are read, and none is lost", async () => {
  const count = 200_000;
  const ended = Promise.withResolvers<void>();
  let socket: ServerSocket | undefined;
  const app = new (App.with(websocket, meter))();
  app.websocket("/echo", async (own) => {
    for await (const message of own) await own.send(message);
  });
  app.websocket("/slow", async (own) => {
    socket = own;
    await ended.promise;
  });
  await using s = await serveApp(app);
  const other = await s.open("/echo");
  const { texts } = collect(other);
  /** Returns the number of messages that the server has received, once the number has not grown during 20 round trips of another connection. */
  const received = async (): Promise<number> => {
    let last = -1;
    for (let idle = 0; idle < 20; idle++) {
      const before = texts.length;
      other.send("x");
      await waitFor(() => texts.length > before, { intervalMs: 1 });
      const now = app.received() - texts.length;
      if (now !== last) idle = -1;
      last = now;
    }
    return last;
  };
  const client = await s.open("/slow");
  await waitFor(() => socket !== undefined);
  for (let sent = 0; sent < count; sent++) client.send("");
  await waitFor(() => app.received() > 10_000);
  const paused = await received();
  expect(paused).toBeLessThan(30_000); // one read of 64 KiB has at most 10 923 empty messages
  for (let taken = 0; taken < 5; taken++) {
    await socket?.recv();
    expect(await received()).toBe(paused);
  }
  for (let taken = 5; taken < count; taken++) await socket?.recv();
  expect(await received()).toBe(count);
  ended.resolve();
});
