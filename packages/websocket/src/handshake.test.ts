import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "@jest/globals";
import { collect, serve } from "./socket-app.test-kit.ts";

test("pages of the service itself and of listed origins may connect, pages of other origins may not", async () => {
  await using s = await serve((app) => {
    app.enableWebSocket({ origins: ["https://app.example"] });
    app.websocket("/", async (socket) => {
      await socket.recv();
    });
  });
  await s.open("/", { headers: { origin: "https://app.example" } });
  await s.open("/", { headers: { origin: s.url } });
  await s.open("/");
  await expect(s.open("/", { headers: { origin: "https://app.example.evil" } })).rejects.toThrow("403");
  await expect(s.open("/", { headers: { origin: "http://app.example" } })).rejects.toThrow("403");
});

test("the first of the client's sub-protocols that the route supports is used", async () => {
  await using s = await serve((app) => {
    app.websocket("/", { protocols: ["v1", "v2"] }, async (socket) => {
      await socket.sendText(socket.protocol);
    });
  });
  const client = await s.open("/", { protocols: ["v9", "v2", "v1"] });
  const { texts, closed } = collect(client);
  await closed;
  expect([client.protocol, texts]).toEqual(["v2", ["v2"]]);
});

const KEY = "dGhlIHNhbXBsZSBub25jZQ==";

test.each([
  ["Sec-WebSocket-Protocol: a, a", 400],
  ["Sec-WebSocket-Protocol: a b", 400],
  ["Sec-WebSocket-Protocol: a,", 400],
  ["Sec-WebSocket-Extensions: permessage-deflate; =", 400],
  ["Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=7", 400],
  ["Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits, other", 101],
  ["Sec-WebSocket-Protocol: a, b", 101],
])("the reply to a handshake with %s is %i, and middleware sees it", async (field, status) => {
  await using s = await serve((app) => {
    app.enableWebSocket({ deflate: true });
    app.use((request, next) => {
      const reply = next(request);
      return reply instanceof Promise
        ? reply.then((resolved) => resolved.setHeader("x-seen", String(resolved.status)))
        : reply.setHeader("x-seen", String(reply.status));
    });
    app.websocket("/", { protocols: ["b"] }, async (socket) => {
      await socket.recv();
    });
  });
  const client = connect(Number(new URL(s.url).port), "127.0.0.1");
  client.write(
    `GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${KEY}\r\n${field}\r\n\r\n`,
  );
  const [data] = (await once(client, "data")) as [Buffer];
  client.destroy();
  const reply = data.toString();
  expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(reply.toLowerCase()).toContain(`x-seen: ${status}`);
  expect(reply.includes('"status":400')).toBe(status === 400);
});
