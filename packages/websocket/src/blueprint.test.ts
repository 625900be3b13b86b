import { App, Blueprint, type Guard, type HttpRequest } from "@framework/core";
import { describe, expect, test } from "@jest/globals";
import { collect, serve } from "./socket-app.test-kit.ts";
import { websocket } from "./index.ts";

const SocketBlueprint = Blueprint.with(websocket);

/** Refuses callers without the field `x-user`. */
const isMember: Guard<HttpRequest> = (request) => request.getHeader("x-user") !== null || "Members only";
const member = { headers: { "x-user": "ada" } };

describe.each(["fast", "node"] as const)("on the %s transport", (transport) => {
  test("a route of nested blueprints has the parameters of their prefixes, and shares the app's rooms", async () => {
    const rooms = new SocketBlueprint("/orgs/{org}");
    rooms.websocket("/rooms/{room}", async (socket, { params, app, route }) => {
      socket.join(params.room);
      await app.room(params.room).sendText(`${route} ${params.org} ${params.room}`);
    });
    await using s = await serve(
      (app) => void app.registerBlueprint(new SocketBlueprint("/{version}").registerBlueprint(rooms)),
      { transport },
    );
    const { texts, closed } = collect(await s.open("/v1/orgs/acme/rooms/tea"));
    expect(await closed).toEqual([1000, ""]);
    expect(texts).toEqual(["/{version}/orgs/{org}/rooms/{room} acme tea"]);
  });

  test("guards of the blueprint and of the route refuse the handshake with an HTTP reply", async () => {
    const staff = new SocketBlueprint("/staff", { guards: [isMember] });
    const isBoss: Guard<HttpRequest> = (request) => request.getHeader("x-user") === "bob";
    staff.websocket("/chat", (socket) => socket.sendText("hello"));
    staff.websocket("/board", { guards: [isBoss] }, (socket) => socket.sendText("hello"));
    await using s = await serve(
      (app) => {
        app.registerBlueprint(staff);
        app.websocket("/public", (socket) => socket.sendText("hello"));
      },
      { transport },
    );
    await expect(s.open("/staff/chat")).rejects.toThrow("403");
    await expect(s.open("/staff/board", member)).rejects.toThrow("403");
    await s.open("/staff/board", { headers: { "x-user": "bob" } });
    await s.open("/staff/chat", member);
    await s.open("/public");
    const refused = await fetch(`${s.url}/staff/chat`);
    expect([refused.status, await refused.json()]).toMatchObject([403, { detail: "Members only" }]);
  });
});

test("limits and injections of a blueprint's route apply to its connections", async () => {
  const small = new SocketBlueprint("/small");
  small.websocket(
    "/{id}",
    { inject: { greeting: "greeting" }, limits: { maxMessageBytes: 10 } },
    async (socket, { params }, { greeting }) => {
      await socket.sendText(`${String(greeting)} ${params.id}`);
      await socket.recv();
    },
  );
  await using s = await serve((app) => {
    app.registerSingleton("greeting", "hello").registerBlueprint(small);
  });
  const client = await s.open("/small/7");
  const { texts, closed } = collect(client);
  client.send("x".repeat(11));
  expect((await closed)[0]).toBe(1009);
  expect(texts).toEqual(["hello 7"]);
});

test("all mistakes in a blueprint's routes are reported at start", async () => {
  const chat = new SocketBlueprint("/chat");
  chat.websocket("/a", { inject: { db: "db" }, injectEach: { session: "session" } }, () => {});
  chat.websocket("/b", { limits: { pings: 1 } as object }, () => {});
  const start = new (App.with(websocket))().registerBlueprint(chat).start();
  await expect(start).rejects.toThrow(/GET \/chat\/a → db/);
  await expect(start).rejects.toThrow(/messages of \/a in the blueprint \/chat → session/);
  await expect(start).rejects.toThrow(/WebSocketLimits has no field "pings"/);
});

test("an app without the feature fails at start with the name of the missing feature", async () => {
  const chat = new SocketBlueprint("/chat");
  chat.websocket("/a", () => {});
  const start = new App().registerBlueprint(chat as never).start();
  await expect(start).rejects.toThrow(
    /CORE_METHOD_MISSING: websocket of the blueprint "\/chat" \(at .*\): this app has no feature "websocket"/,
  );
});
