import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { inProcessState } from "@framework/core/testing";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type Session, sessionOf, sessions, sharedSessionStore } from "./index.ts";
import { cookieOf, openShop, withCookie } from "./shop.test-kit.ts";

test("a visitor gets no cookie until a value is set", async () => {
  const { browser } = openShop();
  await using visitor = browser();
  const page = await visitor.get("/");
  expect([page.headers.get("set-cookie"), page.headers.get("cache-control")]).toEqual([null, null]);
  expect((await visitor.get("/me")).json()).toEqual({ user: null, cart: null });
  const added = await visitor.post("/cart/tea");
  expect(added.headers.get("set-cookie")).toMatch(
    /^session_id=[\w-]{43}; (?=.*Path=\/)(?=.*HttpOnly)(?=.*SameSite=Lax)(?=.*Max-Age=86400)/i,
  );
  expect((await visitor.get("/me")).json()).toEqual({ user: null, cart: "tea" });
});

test("a login applies to later requests of the same browser, and to no other browser", async () => {
  const { browser } = openShop();
  await using ann = browser();
  await using bob = browser();
  await ann.post("/login/ann");
  await bob.post("/login/bob");
  await ann.post("/cart/tea");
  expect((await ann.get("/me")).json()).toEqual({ user: "ann", cart: "tea" });
  expect((await bob.get("/me")).json()).toEqual({ user: "bob", cart: null });
});

test("an id chosen by a client is never adopted", async () => {
  const { browser } = openShop();
  await using attacker = browser({ cookies: false });
  const fixed = "A".repeat(43);
  const login = await attacker.post("/login/ann", withCookie(fixed));
  expect(cookieOf(login)).toMatch(/^[\w-]{43}$/);
  expect(cookieOf(login)).not.toBe(fixed);
  expect((await attacker.get("/me", withCookie(fixed))).json()).toEqual({ user: null, cart: null });
  for (const hostile of ["", "x", "__proto__", "x".repeat(5000), "a.b.c", "%00", `${"A".repeat(42)}=`]) {
    const reply = await attacker.post("/cart/tea", withCookie(hostile));
    expect([reply.status, cookieOf(reply).length]).toEqual([200, 43]);
  }
});

test("a login and a change of privileges create a new id; the old one is invalid", async () => {
  const { browser } = openShop();
  await using client = browser({ cookies: false });
  const visitor = cookieOf(await client.post("/cart/tea"));
  const user = cookieOf(await client.post("/login/ann", withCookie(visitor)));
  const admin = cookieOf(await client.post("/promote", withCookie(user)));
  expect(new Set([visitor, user, admin, ""]).size).toBe(4);
  expect((await client.get("/me", withCookie(admin))).json()).toEqual({ user: "ann", cart: "tea" });
  for (const stolen of [visitor, user])
    expect((await client.get("/me", withCookie(stolen))).json()).toEqual({ user: null, cart: null });
});

test("a request with an old id gets 409, changes nothing and sets no cookie", async () => {
  const { browser } = openShop();
  await using client = browser({ cookies: false });
  const visitor = cookieOf(await client.post("/cart/tea"));
  const user = cookieOf(await client.post("/login/ann", withCookie(visitor)));
  const reply = await client.post("/cart/milk", withCookie(visitor));
  expect([reply.status, reply.headers.get("set-cookie")]).toEqual([409, null]);
  expect((await client.post("/promote", withCookie(visitor))).status).toBe(409);
  expect((await client.get("/me", withCookie(user))).json()).toEqual({ user: "ann", cart: "tea" });
});

test("another user's login does not get the values of the previous user", async () => {
  const { browser } = openShop();
  await using shared = browser();
  await shared.post("/login/ann");
  await shared.post("/cart/tea");
  await shared.post("/login/ann");
  expect((await shared.get("/me")).json()).toEqual({ user: "ann", cart: "tea" });
  await shared.post("/login/bob");
  expect((await shared.get("/me")).json()).toEqual({ user: "bob", cart: null });
});

test("a logout ends the session and deletes the cookie, even if the request then fails", async () => {
  const later: Readonly<Record<string, (session: Session) => unknown>> = {
    nothing: () => {},
    set: (session) => session.set("flash", "bye"),
    login: (session) => session.login("bob"),
  };
  for (const path of ["/logout", ...Object.keys(later).map((name) => `/failing-logout/${name}`)]) {
    const { app, browser } = openShop();
    app.post("/failing-logout/{then}", async (request) => {
      const session = sessionOf(request);
      session.destroy();
      await later[request.params.then]?.(session);
      throw new Error("after the logout");
    });
    await using client = browser({ cookies: false });
    const id = cookieOf(await client.post("/login/ann"));
    const out = await client.post(path, withCookie(id));
    expect(out.headers.get("set-cookie")).toMatch(/^session_id=; .*Max-Age=0/i);
    expect((await client.get("/me", withCookie(id))).json()).toEqual({ user: null, cart: null });
  }
});

test("a session that starts after a logout in the same request is empty", async () => {
  const { app, browser } = openShop();
  app.post("/restart", (request) => {
    const session = sessionOf(request);
    session.destroy();
    session.set("note", "new");
    return { user: session.user, cart: session.get("cart") ?? null };
  });
  await using client = browser({ cookies: false });
  const id = cookieOf(await client.post("/login/ann"));
  await client.post("/cart/tea", withCookie(id));
  const restarted = await client.post("/restart", withCookie(id));
  expect(restarted.json()).toEqual({ user: null, cart: null });
  const next = cookieOf(restarted);
  expect((await client.get("/me", withCookie(next))).json()).toEqual({ user: null, cart: null });
  expect((await client.get("/me", withCookie(id))).json()).toEqual({ user: null, cart: null });
});

test("a request that fails with 500 changes nothing and logs no one in", async () => {
  const { app, browser } = openShop();
  app.post("/failing-login", async (request) => {
    await sessionOf(request).login("ann");
    throw new Error("after the login");
  });
  await using client = browser();
  const failed = await client.post("/failing-login");
  expect([failed.status, failed.headers.get("set-cookie")]).toEqual([500, null]);
  expect((await client.get("/me")).json()).toEqual({ user: null, cart: null });
});

test("concurrent requests of a session lose no change", async () => {
  const { app, browser } = openShop();
  app.post("/set/{name}", async (request) => {
    sessionOf(request).set(request.params.name, true);
    await Promise.resolve();
    return "set";
  });
  app.get("/names", (request) =>
    Array.from({ length: 8 }, (_, at) => sessionOf(request).get(`n${at}`) ?? false),
  );
  await using client = browser();
  await client.post("/login/ann");
  const replies = await Promise.all(Array.from({ length: 8 }, (_, at) => client.post(`/set/n${at}`)));
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  expect((await client.get("/names")).json()).toEqual(Array.from({ length: 8 }, () => true));
});

test("destroyAll ends all sessions of a user except that of the request, which gets a new id", async () => {
  const { app, browser } = openShop();
  app.post("/password", async (request) => {
    const session = sessionOf(request);
    await app.sessions.destroyAll(session.user ?? "", { except: session });
    return "changed";
  });
  await using phone = browser();
  await using laptop = browser();
  await using bob = browser();
  await phone.post("/login/ann");
  const before = cookieOf(await laptop.post("/login/ann"));
  await bob.post("/login/bob");
  const changed = await laptop.post("/password");
  expect(cookieOf(changed)).not.toBe(before);
  const userOf = async (client: typeof phone): Promise<unknown> =>
    (await client.get("/me")).json<{ user: unknown }>().user;
  expect([await userOf(phone), await userOf(laptop), await userOf(bob)]).toEqual([null, "ann", "bob"]);
  await phone.post("/login/ann");
  expect(await userOf(phone)).toBe("ann");
  await app.sessions.destroyAll("ann");
  expect([await userOf(phone), await userOf(laptop), await userOf(bob)]).toEqual([null, null, "bob"]);
});

test("an invalid user is refused before anything changes", async () => {
  const { app, browser } = openShop();
  app.post("/bad", async (request) => {
    const codes: unknown[] = [];
    for (const user of ["", "x".repeat(257), 5 as never, null as never]) {
      await sessionOf(request)
        .login(user)
        .catch(({ code }: { code: unknown }) => codes.push(code));
      await app.sessions.destroyAll(user).catch(({ code }: { code: unknown }) => codes.push(code));
    }
    return codes as string[];
  });
  await using client = browser();
  const reply = await client.post("/bad");
  expect(reply.json()).toEqual(Array.from({ length: 8 }, () => "SESSIONS_BAD_USER"));
  expect(reply.headers.get("set-cookie")).toBeNull();
});

test("paths below skipPaths have no session", async () => {
  const { app, browser } = openShop({ skipPaths: ["/assets"] });
  app.get("/assets/code", (request) => {
    try {
      return sessionOf(request).user ?? "visitor";
    } catch (error) {
      return (error as { code: string }).code;
    }
  });
  await using client = browser();
  await client.post("/login/ann");
  expect((await client.get("/assets/code")).text).toBe("SESSIONS_NOT_ENABLED");
});

test("sessionOf in middleware that runs before sessions are read throws an error that names the mistake", async () => {
  const early: Feature = {
    name: "early",
    install: (host) => {
      host.http.use("rate-limit", (request, next) => {
        sessionOf(request);
        return next(request);
      });
      return {};
    },
  };
  const app = new (App.with(sessions, early))().enableSessions();
  await using client = testClient(app, { log: { info() {}, warn() {}, error() {} } });
  const { status, text } = await client.get("/");
  expect([status, text.includes("not before sessions are read, as in the key of a rate limit")]).toEqual([
    500,
    true,
  ]);
});

test("mistakes in the options are reported together at start", async () => {
  const { app } = openShop({ signed: true, idleSecs: 3600, absoluteSecs: 60 });
  await expect(app.start()).rejects.toThrow(/need a secret[\s\S]*idleSecs is greater/);
  const other = openShop({ encrypt: true, secret: "short", cookieName: "a b" }).app;
  await expect(other.start()).rejects.toThrow(/secret[\s\S]*cookieName/);
  const third = openShop({ secret: "0123456789abcdef0123456789abcdef" }).app;
  await expect(third.start()).rejects.toThrow(/set signed: true/);
  const store = sharedSessionStore(inProcessState().values);
  const fourth = openShop({ store, maxSessions: 10 }).app;
  await expect(fourth.start()).rejects.toThrow(/maxSessions has no effect/);
});

test("destroyAll before the start of the app throws an error", async () => {
  await expect(async () => openShop().app.sessions.destroyAll("ann")).rejects.toThrow(/start the app/);
});
