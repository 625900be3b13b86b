import { AuthenticatedGuard } from "@framework/auth";
import { App, type HttpRequest } from "@framework/core";
import { caching } from "@framework/cache";
import { csrf, csrfToken } from "@framework/security";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { sessionOf, sessions } from "./index.ts";
import { openShop, secret } from "./shop.test-kit.ts";

const login = async (request: HttpRequest): Promise<string> => {
  await sessionOf(request).login("ann");
  return "in";
};

/** The order of the calls makes no difference: the stages decide. */
const orders = {
  "sessions before CSRF": () => new (App.with(sessions, csrf))().enableSessions().enableCsrf({ secret }),
  "CSRF before sessions": () => new (App.with(csrf, sessions))().enableCsrf({ secret }).enableSessions(),
} as const;

for (const [order, make] of Object.entries(orders)) {
  test(`${order}: a token is bound to the session, and each change of the session's id sets a new token`, async () => {
    const app = make();
    app.get("/form", (request) => csrfToken(request));
    app.post("/login", login);
    app.post("/promote", (request) => {
      sessionOf(request).regenerate();
      return "promoted";
    });
    app.post("/logout", (request) => {
      sessionOf(request).destroy();
      return "out";
    });
    app.post("/change", () => "changed");
    await using client = testClient(app, { cookies: true });
    let token = (await client.get("/form")).text;
    for (const path of ["/login", "/promote", "/logout"]) {
      const reply = await client.post(path, { headers: { "x-csrf-token": token } });
      const next = reply.cookies.get("_csrf")?.value ?? "";
      expect([path, reply.status, next === "" || next === token]).toEqual([path, 200, false]);
      const old = await client.post("/change", { headers: { "x-csrf-token": token } });
      expect([path, old.status]).toEqual([path, 403]);
      expect((await client.post("/change", { headers: { "x-csrf-token": next } })).status).toBe(200);
      token = next;
    }
  });
}

test("guards of auth accept the user of the session", async () => {
  const app = new (App.with(sessions))().enableSessions();
  app.post("/login", login);
  app.get("/mine", { guards: [new AuthenticatedGuard()] }, () => "mine");
  await using client = testClient(app, { cookies: true });
  expect((await client.get("/mine")).status).toBe(401);
  await client.post("/login");
  const mine = await client.get("/mine");
  expect([mine.status, mine.headers.get("cache-control")]).toEqual([200, "private"]);
});

test("a reply that depends on a session or sets its cookie is not cached", async () => {
  const app = new (App.with(sessions, caching))().enableSessions().enableCaching({ ttl: 60 });
  let calls = 0;
  app.get("/begin", { cache: { shared: true } }, (request) => {
    sessionOf(request).set("visits", ++calls);
    return { calls };
  });
  app.get("/cart", { cache: { shared: true } }, (request) => ({
    calls: ++calls,
    visits: sessionOf(request).get("visits") ?? null,
  }));
  await using visitor = testClient(app);
  await using customer = testClient(app, { cookies: true });
  for (const path of ["/begin", "/cart"]) {
    const [first, second] = [await visitor.get(path), await visitor.get(path)];
    expect(first.json<{ calls: number }>().calls).not.toBe(second.json<{ calls: number }>().calls);
    expect(first.headers.get("cache-control")).toMatch(/private/);
  }
  const began = await customer.get("/begin");
  expect([began.cookies.has("session_id"), began.headers.get("vary")]).toEqual([
    true,
    expect.stringMatching(/cookie/i),
  ]);
  expect((await customer.get("/cart")).json<{ visits: unknown }>().visits).toBe(5); // set by the fifth call
  expect((await visitor.get("/cart")).json<{ visits: unknown }>().visits).toBeNull();
});

test("a public reply becomes private if it sets the session cookie", async () => {
  const { app, browser } = openShop();
  app.get("/public", (request) => {
    sessionOf(request).set("seen", true);
    return "page";
  });
  app.use(async (request, next) => {
    const reply = await next(request);
    reply.setHeader("cache-control", "public, max-age=60");
    return reply;
  });
  await using client = browser();
  const control = (await client.get("/public")).headers.get("cache-control") ?? "";
  expect([control.includes("private"), control.includes("public")]).toEqual([true, false]);
});

const attributes = [
  ["development", "http", {}, "session_id", false, "Lax"],
  ["development", "https", {}, "__Host-session_id", true, "Lax"],
  ["production", "http", {}, "__Host-session_id", true, "Lax"],
  ["production", "https", {}, "__Host-session_id", true, "Lax"],
  ["production", "http", { secure: false }, "session_id", false, "Lax"],
  ["production", "http", { secure: false, sameSite: "strict" }, "session_id", false, "Strict"],
  ["production", "https", { sameSite: "Strict", cookieName: "sid" }, "__Host-sid", true, "Strict"],
] as const;

test.each(attributes)(
  "in %s over %s with %j the cookie is %s, Secure %s, SameSite %s",
  async (env, scheme, config, name, secure, sameSite) => {
    const { app } = openShop(config);
    await app.start({ env, log: { info() {}, warn() {}, error() {} } });
    const send = (path: string, method: string, headers: Record<string, string> = {}) =>
      app.fetch(new Request(`${scheme}://shop.test${path}`, { method, headers }));
    const line = (await send("/login/ann", "POST")).headers.get("set-cookie") ?? "";
    expect(line.startsWith(`${name}=`)).toBe(true);
    expect([
      /; secure/i.test(line),
      /; httponly/i.test(line),
      /; path=\/(;|$)/i.test(line),
      /domain/i.test(line),
    ]).toEqual([secure, true, true, false]);
    expect(/samesite=(\w+)/i.exec(line)?.[1]).toBe(sameSite);
    const cookie = line.split(";")[0] ?? "";
    const mine = (await (await send("/me", "GET", { cookie })).json()) as { user: unknown };
    expect(mine.user).toBe("ann");
    const out = (await send("/logout", "POST", { cookie })).headers.get("set-cookie") ?? "";
    expect([out.startsWith(`${name}=;`), /; secure/i.test(out)]).toEqual([true, secure]);
    await app.stop();
  },
);

test("over TLS a cookie without the prefix, which a sibling domain can set, is ignored", async () => {
  const { app } = openShop();
  const plain = await app.fetch(new Request("http://shop.test/login/eve", { method: "POST" }));
  const id = /session_id=([^;]+)/.exec(plain.headers.get("set-cookie") ?? "")?.[1] ?? "";
  const reply = await app.fetch(
    new Request("https://shop.test/me", { headers: { cookie: `session_id=${id}` } }),
  );
  expect(await reply.json()).toEqual({ user: null, cart: null });
  await app.stop();
});
