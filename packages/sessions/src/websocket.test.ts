import { App } from "@framework/core";
import { websocket } from "@framework/websocket";
import { expect, test } from "@jest/globals";
import { sessionOf, sessions } from "./index.ts";

const quiet = { info() {}, warn() {}, error() {} };

test("a WebSocket reads the session of its upgrade; a change there is an error", async () => {
  const app = new (App.with(sessions, websocket))().enableSessions().enableWebSocket({});
  app.post("/login", async (request) => {
    await sessionOf(request).login("ann");
    return "in";
  });
  app.websocket("/live", async (socket, request) => {
    const session = sessionOf(request);
    let outcome = "changed";
    try {
      session.set("cart", "tea");
    } catch (error) {
      outcome = (error as { code: string }).code;
    }
    await socket.sendJson([session.user, outcome]);
  });
  const running = await app.run({ port: 0, logs: false, log: quiet, argv: [], exitOnError: false });
  try {
    const reply = await fetch(new URL("/login", running.url), { method: "POST" });
    const cookie = reply.headers.get("set-cookie")?.split(";")[0] ?? "";
    const texts: unknown[] = [];
    for (const headers of [{ cookie }, {}]) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const client = new WebSocket(new URL("/live", running.url.replace("http", "ws")), { headers } as never);
      client.addEventListener("message", ({ data }) => resolve(JSON.parse(String(data))));
      client.addEventListener("error", reject);
      texts.push(await promise);
      client.close();
    }
    expect(texts).toEqual([
      ["ann", "SESSIONS_CLOSED"],
      [null, "SESSIONS_CLOSED"],
    ]);
  } finally {
    await running.close();
  }
});
