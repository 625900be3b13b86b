import { anyOf, ApiKeyAuth, AuthenticatedGuard } from "@framework/auth";
import { And, App, Blueprint, type ConfigurationError, Not, Or } from "@framework/core";
import { openapi } from "@framework/openapi";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { sessionOf, sessions } from "./index.ts";

class Shop extends App.with(sessions, openapi) {}

const withLogin = <A extends Shop>(app: A): A => {
  app.post("/login", async (request) => {
    await sessionOf(request).login("ann");
    return "in";
  });
  return app;
};

test("app.sessions.auth admits users with a session, and refuses visitors with a challenge", async () => {
  const app = withLogin(new Shop().enableSessions());
  const members = new Blueprint("/members").use(app.sessions.auth);
  members.get("", () => "members");
  app.registerBlueprint(members);
  await using client = testClient(app, { cookies: true });
  const refused = await client.get("/members");
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
    401,
    'Session realm="Restricted"',
  ]);
  await client.post("/login");
  const admitted = await client.get("/members");
  expect([admitted.status, admitted.headers.get("cache-control"), admitted.headers.get("vary")]).toEqual([
    200,
    "private",
    "Cookie",
  ]);
});

test("with anyOf a session or a key suffices, and a visitor gets the challenge of the last authentication", async () => {
  const app = withLogin(new Shop().enableSessions());
  const members = new Blueprint("/members").use(
    anyOf(app.sessions.auth, new ApiKeyAuth({ "a-long-random-key": "billing" })),
  );
  members.get("", () => "members");
  app.registerBlueprint(members);
  await using client = testClient(app, { cookies: true });
  const refused = await client.get("/members");
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
    401,
    'ApiKey header="X-API-Key"',
  ]);
  expect((await client.get("/members", { headers: { "x-api-key": "a-long-random-key" } })).status).toBe(200);
  await client.post("/login");
  expect((await client.get("/members")).status).toBe(200);
});

/** Security of each path of the document, and the schemes. */
const readSecurity = async (app: App) => {
  const reply = await app.fetch(new Request("http://localhost/openapi.json"));
  const { paths, components } = JSON.parse(await reply.text());
  const securityOf = (path: string): unknown => paths[path].get.security;
  return { securityOf, schemes: components.securitySchemes };
};

test("the API document has the cookie for routes whose guards read the caller, and for no other", async () => {
  const app = new Shop().enableSessions({ cookieName: "shop", skipPaths: ["/static"] }).enableOpenapi();
  const isAuthenticated = new AuthenticatedGuard();
  const byHost = (): boolean => true;
  app.get("/mine", { guards: [isAuthenticated] }, () => 1);
  app.get("/combined", { guards: [And(byHost, Or(byHost, isAuthenticated))] }, () => 1);
  app.get("/anonymous", { guards: [Not(isAuthenticated)] }, () => 1);
  app.get("/guarded", { guards: [byHost] }, () => 1);
  app.get("/open", () => 1);
  app.get("/static/a", { guards: [isAuthenticated] }, () => 1);
  const staff = new Blueprint("/staff").addGuard(isAuthenticated);
  staff.get("", () => 1);
  const keys = new Blueprint("/keys")
    .use(new ApiKeyAuth({ "a-long-random-key": "billing" }))
    .addGuard(isAuthenticated);
  keys.get("", () => 1);
  const either = new Blueprint("/either").use(
    anyOf(app.sessions.auth, new ApiKeyAuth({ "a-long-random-key": "billing" })),
  );
  either.get("", () => 1);
  for (const blueprint of [staff, keys, either]) app.registerBlueprint(blueprint);
  const { securityOf, schemes } = await readSecurity(app);
  const cookie = [{ sessionCookie: [] }];
  for (const path of ["/mine", "/combined", "/staff"])
    expect([path, securityOf(path)]).toEqual([path, cookie]);
  for (const path of ["/anonymous", "/guarded", "/open", "/static/a"])
    expect([path, securityOf(path)]).toEqual([path, undefined]);
  expect(securityOf("/keys")).toEqual([{ apiKeyAuth: [] }]);
  expect(securityOf("/either")).toEqual([{ sessionCookie: [] }, { apiKeyAuth: [] }]);
  expect(schemes.sessionCookie).toEqual({
    type: "apiKey",
    in: "cookie",
    name: "shop",
    description: "The session of a logged-in user.",
  });
});

test("in production the document has the name of the cookie over TLS", async () => {
  const app = new Shop().enableSessions().enableOpenapi();
  app.get("/mine", { guards: [new AuthenticatedGuard()] }, () => 1);
  await app.start({ env: "production", log: { info() {}, warn() {}, error() {} } });
  const { schemes } = await readSecurity(app);
  expect(schemes.sessionCookie.name).toBe("__Host-session_id");
  await app.stop();
});

test("app.sessions.auth without enableSessions is a start error", async () => {
  const app = new Shop();
  app.use(app.sessions.auth);
  await expect(app.start()).rejects.toThrow("app.sessions.auth is used, but sessions are not enabled");
});

test("app.sessions.auth that an app uses alone and within anyOf reports its problem once", async () => {
  const app = new Shop();
  app.use(app.sessions.auth);
  app.use(anyOf(app.sessions.auth, new ApiKeyAuth({ "a-long-random-key": "billing" })));
  const error = await app.start().catch((thrown: ConfigurationError) => thrown);
  expect(error).toMatchObject({ problems: [{ code: "SESSIONS_NOT_ENABLED" }] });
});

test("the API document has the error replies of sessions, except on skipped paths", async () => {
  const app = new Shop().enableSessions({ skipPaths: ["/static"] }).enableOpenapi();
  app.get("/cart", () => 1);
  app.get("/static/a", () => 1);
  await using client = testClient(app);
  const { paths } = (await client.get("/openapi.json")).json<{
    paths: Record<string, { get: { responses: object } }>;
  }>();
  const refusals = (path: string) =>
    Object.keys(paths[path]?.get.responses ?? {}).filter((status) => status === "409" || status === "503");
  expect([refusals("/cart"), refusals("/static/a")]).toEqual([["409", "503"], []]);
});
