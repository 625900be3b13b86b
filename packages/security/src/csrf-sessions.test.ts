import { App, type HttpRequest } from "@framework/core";
import { type ConfigInput, type Feature, JwtClaims, SessionId, User } from "@framework/core/feature";
import { testClient, type TestReply } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { csrf, type CsrfConfig, rotateCsrfToken } from "./index.ts";
import { unmask } from "./token-mask.ts";

const secret = "0123456789abcdef0123456789abcdef";

/** A feature that reads the session id from the field `X-Session`. */
const sessions: Feature<{ enableSessions(): unknown }> = {
  name: "sessions",
  install: (host) => ({
    enableSessions() {
      host.http.use("session", (request, next) => {
        request.context.set(SessionId, request.getHeader("x-session"));
        return next(request);
      });
      return this;
    },
  }),
};

const openClient = () => {
  // The stages determine the order, so the CSRF protection sees the session although it is enabled first.
  const app = new (App.with(csrf, sessions))().enableCsrf({ secret });
  app.enableSessions();
  app.get("/", () => "page");
  app.post("/change", () => "changed");
  app.post("/login", ({ context }) => {
    context.set(SessionId, "second");
    return "in";
  });
  app.post("/failing", ({ context }) => {
    context.set(SessionId, "second");
    throw new Error("after the login");
  });
  return testClient(app);
};

test("a token is valid for the session that a feature manages, whatever the cookie session_id is", async () => {
  await using client = openClient();
  const page = await client.get("/", { headers: { "x-session": "first", cookie: "session_id=other" } });
  const token = page.cookies.get("_csrf")?.value ?? "";
  const statusOf = async (headers: Record<string, string>): Promise<number> =>
    (await client.post("/change", { headers: { "x-csrf-token": token, ...headers } })).status;
  expect(await statusOf({ "x-session": "first", cookie: `_csrf=${token}` })).toBe(200);
  expect(await statusOf({ "x-session": "second", cookie: `session_id=first; _csrf=${token}` })).toBe(403);
  expect(await statusOf({ cookie: `session_id=first; _csrf=${token}` })).toBe(403);
});

test("the reply that changes the session sets the token of the new one", async () => {
  await using client = openClient();
  const page = await client.get("/", { headers: { "x-session": "first" } });
  const token = page.cookies.get("_csrf")?.value ?? "";
  const headers = { "x-session": "first", cookie: `_csrf=${token}`, "x-csrf-token": token };
  expect((await client.post("/change", { headers })).cookies.get("_csrf")).toBeUndefined();
  const login = await client.post("/login", { headers });
  const renewed = login.cookies.get("_csrf")?.value ?? "";
  const post = async (session: string): Promise<number> => {
    const sent = { "x-session": session, cookie: `_csrf=${renewed}`, "x-csrf-token": renewed };
    return (await client.post("/change", { headers: sent })).status;
  };
  expect([await post("second"), await post("first")]).toEqual([200, 403]);
});

test("a failed request sets no token, because its session change is discarded", async () => {
  await using client = openClient();
  const page = await client.get("/", { headers: { "x-session": "first" } });
  const token = page.cookies.get("_csrf")?.value ?? "";
  const headers = { "x-session": "first", cookie: `_csrf=${token}`, "x-csrf-token": token };
  const failed = await client.post("/failing", { headers });
  expect([failed.status, failed.cookies.get("_csrf")]).toEqual([500, undefined]);
});

/** An app that authenticates by a cookie, except below `/open`. */
const openWithLogin = (config: ConfigInput<CsrfConfig> = {}) => {
  const app = new (App.with(csrf))().enableCsrf({ secret, ...config });
  app.use((request, next) => {
    if (!request.path.startsWith("/open"))
      request.context.set(User, request.cookies.get("user") ?? undefined);
    return next(request);
  });
  app.get("/page", () => "page");
  app.get("/open", () => "page");
  app.post("/change", () => "changed");
  app.post("/open", () => "changed");
  const client = testClient(app);
  /** Sends a request with the token set by the previous reply. */
  const post = async (path: string, before?: TestReply): Promise<TestReply> => {
    const token = before?.cookies.get("_csrf")?.value;
    const own = token === undefined ? "" : `; _csrf=${token}`;
    return client.post(path, {
      headers: { cookie: `user=ada${own}`, ...(token !== undefined && { "x-csrf-token": token }) },
    });
  };
  return { client, post };
};

test("session is not called for a request that is refused before authentication", async () => {
  const session = ({ context }: HttpRequest): string => {
    const user: unknown = context.get(User);
    if (typeof user !== "string") throw new Error("called before authentication");
    return user;
  };
  const { client, post } = openWithLogin({ session });
  await using _ = client;
  const first = await post("/change");
  const second = await post("/change", first);
  expect([first.status, second.status, (await post("/change", second)).status]).toEqual([403, 403, 200]);
});

test.each([Promise.resolve("ada"), { name: "ada" }, 5])(
  "a session function that returns %p causes a 500 and sets no token",
  async (name) => {
    const logged: string[] = [];
    const write = (_message: string, fields?: object): void =>
      void logged.push(String(Object.values(fields ?? {})));
    const app = new (App.with(csrf))().enableCsrf({ secret, session: () => name as never });
    app.get("/", () => "page");
    await app.start({ log: { info() {}, warn: write, error: write } });
    await using client = testClient(app);
    const page = await client.get("/");
    expect([page.status, page.cookies.size]).toEqual([500, 0]);
    expect(logged.join()).toContain("session of CsrfConfig must return a string, null or undefined, not ");
  },
);

test("a request whose session function returns undefined is handled as a visitor's", async () => {
  const { client, post } = openWithLogin({ session: ({ context }) => context.get(JwtClaims)?.sub });
  await using _ = client;
  const first = await post("/change");
  expect([first.status, (await post("/change", first)).status]).toEqual([403, 200]);
});

test.each([{}, { session: ({ context }: HttpRequest): string | null => context.get(User) ?? null }])(
  "a retry with the token of the 403 passes: the first, or the second if authentication finds a user",
  async (config) => {
    const { client, post } = openWithLogin(config);
    await using _ = client;
    const visitor = await post("/open");
    expect([visitor.status, (await post("/open", visitor)).status]).toEqual([403, 200]);
    const first = await post("/change");
    const second = await post("/change", first);
    expect([first.status, second.status, (await post("/change", second)).status]).toEqual([403, 403, 200]);
  },
);

test.each([{}, { session: ({ context }: HttpRequest): string | null => context.get(User) ?? null }])(
  "a page without authentication keeps the token of a user, and requests without the user do not pass with it",
  async (config) => {
    const { client, post } = openWithLogin(config);
    await using _ = client;
    const page = await client.get("/page", { headers: { cookie: "user=ada" } });
    const token = page.cookies.get("_csrf")?.value ?? "";
    const cookie = `user=ada; _csrf=${token}`;
    expect((await client.get("/open", { headers: { cookie } })).cookies.size).toBe(0);
    expect([(await post("/change", page)).status, (await post("/open", page)).status]).toEqual([200, 403]);
    const other = await client.get("/page", { headers: { cookie: `user=eve; _csrf=${token}` } });
    const seedOf = (value: string) => unmask(value).split(".")[0];
    expect(seedOf(other.cookies.get("_csrf")?.value ?? "")).not.toBe(seedOf(token));
    const forged = await client.get("/open", { headers: { cookie: `_csrf=${token}x` } });
    expect(forged.cookies.size).toBe(1);
  },
);

test.each([undefined, null])(
  "rotateCsrfToken with the session %s returns a token of a visitor",
  async (session) => {
    for (const config of [{ secret }, { secret, session: () => undefined }]) {
      const app = new (App.with(csrf))().enableCsrf(config);
      app.get("/logout", (request) => rotateCsrfToken(request, session as null));
      app.post("/change", () => "changed");
      await using client = testClient(app);
      const { text: token } = await client.get("/logout");
      const headers = { cookie: `_csrf=${token}`, "x-csrf-token": token };
      expect((await client.post("/change", { headers })).status).toBe(200);
    }
  },
);
