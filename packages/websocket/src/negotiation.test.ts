import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "@jest/globals";
import { serve } from "./socket-app.test-kit.ts";

test.each([
  ["permessage-deflate; unknown", null],
  ["permessage-deflate; server_no_context_takeover; server_no_context_takeover", null],
  ["permessage-deflate; client_no_context_takeover=1, x-other", null],
  [
    'permessage-deflate; unknown=1, permessage-deflate; server_max_window_bits="9"',
    "server_max_window_bits=9",
  ],
])("extension offers with invalid parameters are declined: %s", async (offers, accepted) => {
  await using s = await serve((app) => {
    app.enableWebSocket({ deflate: true });
    app.websocket("/", async (socket) => {
      await socket.recv();
    });
  });
  const client = connect(Number(new URL(s.url).port), "127.0.0.1");
  client.write(
    `GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Extensions: ${offers}\r\n\r\n`,
  );
  const [data] = (await once(client, "data")) as [Buffer];
  client.destroy();
  const [, extensions = null] =
    /^Sec-WebSocket-Extensions: permessage-deflate; ([^;]*);/m.exec(String(data)) ?? [];
  expect([String(data).split("\r\n", 1), extensions]).toEqual([
    ["HTTP/1.1 101 Switching Protocols"],
    accepted,
  ]);
});
