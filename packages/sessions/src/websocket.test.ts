import { AuthenticatedGuard } from "@framework/auth";
import { App, verifyGuards } from "@framework/core";
import { virtualClock } from "@framework/core/testing";
import { websocket } from "@framework/websocket";
import { expect, test } from "@jest/globals";
import { sessionOf, sessions } from "./index.ts";

const quiet = { info() {}, warn() {}, error() {} };

test("a WebSocket reads the session of its upgrade request, and cannot change it", async () => {
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

test("identify in a WebSocket extends the session, and fails once the session has ended", async () => {
  const clock = virtualClock();
  const app = new (App.with(sessions, websocket))().enableSessions({ clock, idleSecs: 1000 });
  app.post("/login", async (request) => {
    await sessionOf(request).login("ann");
    return "in";
  });
  app.websocket("/live", async (socket, request) => {
    const isAuthenticated = async (): Promise<boolean> => {
      try {
        await app.sessions.auth.identify(request);
        return true;
      } catch {
        return false;
      }
    };
    const guarded = async (): Promise<boolean> => {
      try {
        await verifyGuards([new AuthenticatedGuard()], request);
        return true;
      } catch {
        return false;
      }
    };
    for await (const _message of socket)
      await socket.sendJson([await isAuthenticated(), await guarded(), sessionOf(request).user]);
  });
  const running = await app.run({ port: 0, logs: false, log: quiet, argv: [], exitOnError: false });
  try {
    const reply = await fetch(new URL("/login", running.url), { method: "POST" });
    const cookie = reply.headers.get("set-cookie")?.split(";")[0] ?? "";
    const url = new URL("/live", running.url.replace("http", "ws"));
    const client = new WebSocket(url, { headers: { cookie } } as never);
    const send = (): Promise<unknown> =>
      new Promise((resolve) => {
        client.addEventListener("message", ({ data }) => resolve(JSON.parse(String(data))), { once: true });
        client.send("");
      });
    await new Promise((resolve) => client.addEventListener("open", resolve));
    const replies = [await send()];
    for (let uses = 0; uses < 3; uses++) {
      await clock.advance(600_000);
      replies.push(await send());
    }
    await app.sessions.destroyAll("ann");
    replies.push(await send());
    client.close();
    const alive = [true, true, "ann"];
    expect(replies).toEqual([alive, alive, alive, alive, [false, false, null]]);
  } finally {
    await running.close();
  }
});
