import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "@jest/globals";
import { App, Response } from "../index.ts";

const options = {
  port: 0,
  exitOnError: false,
  argv: [],
  environment: {},
  log: { info() {}, warn() {}, error() {} },
};

/** Returns an app's reply with the URL, the web request's URL and the path of a request. */
const urlsOf = async (transport: "fast" | "node", head: string): Promise<string> => {
  const app = new App().use((request) => Response.json([request.url, request.raw.url, request.path]));
  const running = await app.run({ ...options, transport });
  const socket = connect(running.port, "127.0.0.1");
  await once(socket, "connect");
  socket.end(head);
  const reply = await text(socket);
  await running.close();
  return reply.slice(reply.indexOf("\r\n\r\n") + 4);
};

test.each(["fast", "node"] as const)(
  "the URL of OPTIONS * has no path, and its web request can be built (%s)",
  async (transport) => {
    const head = "OPTIONS * HTTP/1.1\r\nHost: shop.test:80\r\n\r\n";
    expect(await urlsOf(transport, head)).toBe('["http://shop.test:80","http://shop.test/","*"]');
  },
);

test.each(["fast", "node"] as const)(
  "an HTTP/1.0 request without a host has the host localhost in its URL (%s)",
  async (transport) => {
    expect(await urlsOf(transport, "GET /admin/x?y HTTP/1.0\r\n\r\n")).toBe(
      '["http://localhost/admin/x?y","http://localhost/admin/x?y","/admin/x"]',
    );
    expect(await urlsOf(transport, "GET / HTTP/1.0\r\n\r\n")).toBe(
      '["http://localhost/","http://localhost/","/"]',
    );
  },
);
