import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import { App, ForbiddenError, HttpError } from "@framework/core";
import { type Feature, mapAwaitable } from "@framework/core/feature";
import { connectRaw, parseReplies } from "../harness/raw-client.ts";
import { uppercaseEcho } from "../suite/upgrades.ts";
import { eventually } from "../harness/test-server.ts";

interface Chat {
  enableChat(path: string): this;
}
/** A feature like WebSocket, with a simpler protocol. */
const chat: Feature<Chat> = {
  name: "chat",
  install: (host) => ({
    enableChat(path) {
      host.http.route("GET", path, (request) => {
        const { upgrade } = request;
        if (upgrade === null)
          throw new HttpError(426, "This path requires WebSocket", { headers: { upgrade: "websocket" } });
        const key = request.getHeader("sec-websocket-key", "");
        const acceptKey = createHash("sha1")
          .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
          .digest("base64");
        return upgrade.accept(uppercaseEcho).setHeader("sec-websocket-accept", acceptKey);
      });
      return this;
    },
  }),
};

class ChatApp extends App.with(chat) {}

const makeApp = (): ChatApp => {
  const app = new ChatApp().enableChat("/chat/{room}");
  app.use((request, next) =>
    mapAwaitable(next(request), (reply) => reply.setHeader("x-seen", `${request.route} ${reply.status}`)),
  );
  app.addGuard(({ query }) => {
    if (query.get("token") !== "t") throw new ForbiddenError("no token");
    return true;
  });
  return app;
};

const upgradeRequest = (target: string): string =>
  `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

for (const transport of ["fast", "node"] as const) {
  test(`${transport}: a route accepts an upgrade after guards and middleware, and the 101 has the fields set by middleware`, async () => {
    const lines: string[] = [];
    const log = { info: (line: string) => void lines.push(line), warn() {}, error() {} };
    const options = { port: 0, exitOnError: false, argv: [], environment: {}, log, logs: true };
    const running = await makeApp().run({ ...options, transport });
    const dial = async (target: string) => {
      const client = await connectRaw(running.port);
      await client.send(upgradeRequest(target));
      return client;
    };
    try {
      const client = await dial("/chat/1?token=t");
      const received = await client.until((text) => text.endsWith("hello;"));
      expect(received).toContain("\r\nsec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n");
      expect(received).toContain("\r\nx-seen: /chat/{room} 101\r\n");
      const refusals = [];
      for (const target of ["/chat/1", "/nowhere?token=t"]) {
        const refused = await dial(target);
        const [reply] = parseReplies(await refused.untilClosed(), true);
        refusals.push([reply?.status, reply?.fields.get("x-seen"), reply?.fields.get("connection")]);
      }
      expect(refusals).toEqual([
        [403, "/chat/{room} 403", "close"],
        [404, "null 404", "close"],
      ]);
      expect(lines.map((line) => line.replace(/ \(.*/, ""))).toEqual([
        "GET /chat/1 -> 101",
        "GET /chat/1 -> 403",
        "GET /nowhere -> 404",
      ]);
      const closing = running.close();
      await client.until((text) => text.endsWith("bye"));
      await closing;
      await eventually(() => client.closed, "the connection is closed");
    } finally {
      await running.close();
    }
  });
}

test("a 426 names the protocol for a request without an upgrade", async () => {
  const reply = await makeApp().fetch(new Request("http://localhost/chat/1?token=t"));
  expect([reply.status, reply.headers.get("upgrade")]).toEqual([426, "websocket"]);
});
