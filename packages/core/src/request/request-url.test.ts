import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "@jest/globals";
import { App, Response } from "../index.ts";

const embedded = {
  port: 0,
  exitOnError: false,
  argv: [],
  environment: {},
  log: { info() {}, warn() {}, error() {} },
};

test.each(["fast", "node"] as const)(
  "the URL of OPTIONS * has no path, and its web request can be built (%s)",
  async (transport) => {
    const app = new App().use((request) => Response.json([request.url, request.raw.url, request.path]));
    const running = await app.run({ ...embedded, transport });
    const socket = connect(running.port, "127.0.0.1");
    await once(socket, "connect");
    socket.end("OPTIONS * HTTP/1.1\r\nHost: shop.test:80\r\n\r\n");
    const reply = await text(socket);
    await running.close();
    expect(reply).toContain('["http://shop.test:80","http://shop.test/","*"]');
  },
);
