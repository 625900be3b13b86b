import { once } from "node:events";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { expect, test } from "@jest/globals";
import { collect, serve } from "./socket-app.test-kit.ts";

const rawOf = (client: WebSocket): Socket => (client as unknown as { readonly _socket: Socket })._socket;

/** Sends pings in one write. */
const pingAtOnce = (client: WebSocket, count: number): void => {
  const raw = rawOf(client);
  raw.cork();
  for (let sent = 0; sent < count; sent++) client.ping();
  raw.uncork();
};

test("a client may send as many pings as maxControlFramesPerSec at once, and more close with 1008", async () => {
  await using s = await serve((app) => {
    app.websocket("/", (socket) => socket.each((message) => socket.send(message)));
  });
  const allowed = await s.open("/");
  let pongs = 0;
  allowed.on("pong", () => pongs++);
  pingAtOnce(allowed, 100);
  allowed.send("after the pings");
  await once(allowed, "message");
  expect(pongs).toBe(100);
  const refused = await s.open("/");
  pingAtOnce(refused, 300); // above the limit, even if they are read in two seconds
  expect((await collect(refused).closed)[0]).toBe(1008);
});

test("a frame that arrives byte by byte closes the connection with 1008", async () => {
  await using s = await serve((app) => {
    app.enableWebSocket({ maxMessageBytes: 10_000 });
    app.websocket("/", (socket) => socket.each((message) => socket.send(message)));
  });
  const client = await s.open("/");
  const raw = rawOf(client).setNoDelay(true);
  let hasEnded = false;
  raw.on("close", () => (hasEnded = true)).on("error", () => {});
  const { closed } = collect(client);
  raw.write(Buffer.from([0x82, 0xfe, 0x27, 0x10, 0, 0, 0, 0])); // the head of a binary message of 10 000 bytes
  for (let sent = 0; sent < 9999 && !hasEnded; sent++) {
    raw.write(Buffer.alloc(1));
    await new Promise(setImmediate);
  }
  expect((await closed)[0]).toBe(1008);
});
