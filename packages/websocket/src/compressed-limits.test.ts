import { once } from "node:events";
import { connect, type Socket } from "node:net";
import zlib from "node:zlib";
import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { websocket } from "./index.ts";
import { collect, serve, serveApp, type Served } from "./socket-app.test-kit.ts";

const MEGABYTE = 1_000_000;
const SENT = 20;

/** A compressed, masked message of a megabyte, about 1000 bytes long. */
const longMessage = (): Buffer => {
  const data = zlib.deflateRawSync(Buffer.alloc(MEGABYTE), { finishFlush: zlib.constants.Z_SYNC_FLUSH });
  const payload = data.subarray(0, -4); // RFC 7692 7.2.1
  return Buffer.concat([
    Buffer.from([0xc2, 0x80 | 126, payload.length >> 8, payload.length & 255, 0, 0, 0, 0]),
    payload,
  ]);
};

/** Opens a connection with compression, and sends `SENT` messages of a megabyte in one write. */
const sendMany = async ({ url }: Served, path: string): Promise<Socket> => {
  const client = connect(Number(new URL(url).port), "127.0.0.1");
  client.on("error", () => {}); // the server may terminate it
  client.write(
    `GET ${path} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n`,
  );
  await once(client, "data");
  client.write(Buffer.concat(Array.from({ length: SENT }, longMessage)));
  return client;
};

/** A feature with a method that returns the number of messages that the app has received. */
const receivedCounter: Feature<{ readonly received: () => unknown }> = {
  name: "received-counter",
  install: ({ insight }) => ({
    received: () =>
      insight
        .metrics()
        .find(({ name }) => name === "websocket_messages_received_total")
        ?.read(),
  }),
};

test("compressed messages queued for a slow handler are not inflated, and none is lost", async () => {
  const go = Promise.withResolvers<void>();
  const read = { busy: 0, eager: 0 };
  const app = new (App.with(websocket, receivedCounter))().enableWebSocket({ deflate: true });
  app.websocket("/busy", async (socket) => {
    await go.promise;
    for await (const message of socket) read.busy += message.data.byteLength;
  });
  app.websocket("/eager", async (socket) => {
    for await (const message of socket) read.eager += message.data.byteLength;
  });
  await using s = await serveApp(app);
  const clients = [await sendMany(s, "/busy"), await sendMany(s, "/eager")];
  await waitFor(() => read.eager === SENT * MEGABYTE, { subject: "the messages of the other connection" });
  const received = app.received();
  go.resolve();
  await waitFor(() => read.busy === SENT * MEGABYTE, { subject: "the queued messages" });
  for (const client of clients) client.destroy();
  expect(received).toBe(SENT + 2); // two messages of the busy connection exceed the queue's limit of 1 MiB
});

test("if a connection breaks while compressed messages are queued, its handler is aborted and gets the inflated ones", async () => {
  const ended = Promise.withResolvers<unknown>();
  const read: number[] = [];
  const app = new (App.with(websocket, receivedCounter))().enableWebSocket({ deflate: true });
  app.websocket("/", async (socket) => {
    socket.signal.addEventListener("abort", () => ended.resolve(socket.closed));
    await ended.promise;
    for await (const message of socket) read.push(message.data.byteLength);
  });
  await using s = await serveApp(app);
  const client = await sendMany(s, "/");
  await waitFor(() => app.received() === 2);
  client.resetAndDestroy();
  expect(await ended.promise).toEqual({ code: 1006, reason: "" });
  await waitFor(() => read.length === 2);
  expect(read).toEqual([MEGABYTE, MEGABYTE]);
});

test("a handler that keeps reading a closing connection gets no message after a dropped one", async () => {
  const emptied = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const read: number[] = [];
  const app = new (App.with(websocket, receivedCounter))().enableWebSocket({
    deflate: true,
    closeWaitSecs: 3600,
  });
  app.websocket("/", async (socket) => {
    await waitFor(() => app.received() === 2);
    void socket.close();
    await waitFor(() => app.received() === SENT, {
      subject: "all messages, of which the queue can store two",
    });
    for (let n = 0; n < 2; n++) read.push((await socket.recv())?.data.byteLength ?? 0);
    emptied.resolve();
    for await (const message of socket) read.push(message.data.byteLength);
    ended.resolve();
  });
  await using s = await serveApp(app);
  const client = await sendMany(s, "/");
  await emptied.promise;
  client.write(longMessage());
  await waitFor(() => app.received() === SENT + 1, { subject: "a later message, which would fit" });
  client.destroy();
  await ended.promise;
  expect(read).toEqual([MEGABYTE, MEGABYTE]);
});

test.each([true, false])(
  "a handler that returns closes its connection gracefully, even with unread messages (deflate: %j)",
  async (deflate) => {
    await using s = await serve((app) => {
      app.enableWebSocket({ deflate, closeWaitSecs: 3600 });
      app.websocket("/", async (socket) => {
        await socket.recv();
        await socket.sendText("enough");
      });
    });
    const client = await s.open("/", { deflate });
    for (let n = 0; n < 20; n++) client.send("x".repeat(MEGABYTE));
    const { texts, closed } = collect(client);
    expect(await closed).toEqual([1000, ""]);
    expect(texts).toEqual(["enough"]);
  },
);
