import { App } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import { csrf, csrfToken } from "@framework/security";
import { sessionOf, sessions, type SessionsConfig } from "@framework/sessions";
import { expect, test } from "@jest/globals";

/** Creates an app with a login, and one browser. */
const browse = (scheme: string, config: ConfigInput<SessionsConfig> = {}) => {
  const app = new (App.with(csrf, sessions))().enableSessions({ skipPaths: ["/public"], ...config });
  app.enableCsrf({ secret: "x".repeat(32) });
  app.get("/public/ping", () => "pong");
  app.post("/public/vote", () => "voted");
  app.get("/page", (request) => csrfToken(request));
  app.post("/save", (request) => sessionOf(request).user ?? "visitor");
  app.post("/login", async (request) => {
    await sessionOf(request).login("ann");
    return "in";
  });
  const jar = new Map<string, string>();
  const send = async (method: string, path: string, token = ""): Promise<Response> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { cookie, "x-csrf-token": token };
    const reply = await app.fetch(new Request(`${scheme}://h.example${path}`, { method, headers }));
    for (const line of reply.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split("=");
      jar.set(name, value);
    }
    return reply;
  };
  const page = async (): Promise<string> => (await send("GET", "/page")).text();
  return { jar, send, page };
};

test.each<[string, ConfigInput<SessionsConfig>]>([
  ["http", {}],
  ["https", {}],
  ["http", { signed: true, secret: "y".repeat(32) }],
])("a path without sessions does not change the CSRF token of a login: %s %j", async (scheme, config) => {
  const { jar, send, page } = browse(scheme, config);
  await send("POST", "/login", await page());
  const token = await page();
  const before = jar.get("_csrf");
  await send("GET", "/public/ping");
  await send("POST", "/public/vote", "wrong");
  expect(jar.get("_csrf")).toBe(before);
  expect(await (await send("POST", "/save", token)).text()).toBe("ann");
});

test("a form is accepted with the cookie of another page of the same session", async () => {
  const { jar, send, page } = browse("http");
  await send("POST", "/login", await page());
  jar.delete("_csrf");
  const token = await page();
  jar.delete("_csrf"); // the other page was requested before the reply to this one
  const otherToken = await page();
  expect(otherToken).not.toBe(token);
  expect(await (await send("POST", "/save", token)).text()).toBe("ann");
});

test("a visitor's form needs the token of the visitor's cookie", async () => {
  const { jar, send, page } = browse("http");
  const token = await page();
  jar.delete("_csrf");
  const cookieToken = await page();
  expect([
    (await send("POST", "/save", token)).status,
    (await send("POST", "/save", cookieToken)).status,
  ]).toEqual([403, 200]);
});
