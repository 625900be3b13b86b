// oxlint-disable jest/no-standalone-expect -- the facts run inside the tests that eachClient registers
import { App, Response } from "@framework/core";
import { eachClient, socketClient, testClient, type TestClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { csrf, CsrfConfig, csrfToken, rotateCsrfToken } from "./index.ts";

const secret = "0123456789abcdef0123456789abcdef";

const makeApp = (config: Parameters<typeof CsrfConfig.of>[0] = { secret }) => {
  const app = new (App.with(csrf))().enableCsrf(config);
  app.get("/", () => "page");
  app.get("/form", (request) => csrfToken(request));
  app.get("/shared", () => Response.text("for all", { headers: { "cache-control": "public, max-age=60" } }));
  app.get("/file", () => Response.text("for all", { headers: { "cache-control": "max-age=3600" } }));
  app.post("/login", (request) => {
    rotateCsrfToken(request, "ada-2");
    return new Response("in").setCookie("session_id", "ada-2");
  });
  app.route("/change", { methods: ["POST", "PUT", "PATCH", "DELETE"] }, () => "changed");
  app.post("/read", async (request) => (await request.text()).length);
  app.post("/webhooks/stripe", () => "received");
  return app;
};

const tokenOf = async (client: TestClient, headers: Record<string, string> = {}): Promise<string> =>
  (await client.get("/", { headers })).cookies.get("_csrf")?.value ?? "";

const refusal = { error: "Forbidden", detail: "CSRF token validation failed", status: 403 };

eachClient(test, () => makeApp(), {
  "a browser gets a token with its first page, and proves itself with it": async (client) => {
    const first = await client.get("/");
    const { value = "", ...cookie } = first.cookies.get("_csrf") ?? {};
    expect(cookie).toMatchObject({
      path: "/",
      sameSite: "Lax",
      maxAge: 86_400,
      secure: false,
      httpOnly: false,
    });
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    const headers = { cookie: `_csrf=${value}`, "x-csrf-token": value };
    for (const method of ["POST", "PUT", "PATCH", "DELETE"])
      expect((await client.request(method, "/change", { headers })).text).toBe("changed");
    const again = await client.get("/", { headers });
    expect([again.cookies.size, again.headers.get("cache-control")]).toEqual([0, null]);
  },
  "a form brings it in a field, urlencoded or multipart, and its body is the handler's all the same": async (
    client,
  ) => {
    const token = await tokenOf(client);
    const cookie = { cookie: `_csrf=${token}` };
    const form = new FormData();
    form.set("_csrf", token);
    form.set("file", new Blob(["x"]), "a.txt");
    expect(
      (await client.post("/read", { headers: cookie, form: { _csrf: token, title: "Emma" } })).json(),
    ).toBe(`_csrf=${token}&title=Emma`.length);
    expect((await client.post("/change", { headers: cookie, form })).status).toBe(200);
    expect((await client.post("/change", { headers: cookie, form: { _csrf: `${token}x` } })).status).toBe(
      403,
    );
  },
  "without a token nothing changes": async (client) => {
    const refused = await client.post("/change");
    expect([refused.status, refused.json()]).toEqual([403, refusal]);
  },
});

test("a page's token is the cookie's, and such a page is private", async () => {
  await using client = testClient(makeApp());
  const page = await client.get("/form");
  expect(page.cookies.get("_csrf")?.value).toBe(page.text);
  expect([page.headers.get("vary"), page.headers.get("cache-control")]).toEqual([
    "Cookie",
    "private, no-cache",
  ]);
  const again = await client.get("/form", { headers: { cookie: `_csrf=${page.text}` } });
  expect([again.text, again.cookies.size, again.headers.get("vary")]).toEqual([page.text, 0, "Cookie"]);
});

test("a reply that caches may keep for others brings no token", async () => {
  await using client = testClient(makeApp());
  for (const path of ["/shared", "/file", "/nowhere"]) expect((await client.get(path)).cookies.size).toBe(0);
});

test("a login makes tokens of before it worthless, and gets one of its own", async () => {
  await using client = testClient(makeApp());
  const before = await tokenOf(client);
  const login = await client.post("/login", {
    headers: { cookie: `_csrf=${before}`, "x-csrf-token": before },
  });
  const after = login.cookies.get("_csrf")?.value ?? "";
  const change = (token: string) =>
    client.post("/change", {
      headers: { cookie: `session_id=ada-2; _csrf=${token}`, "x-csrf-token": token },
    });
  expect((await change(after)).status).toBe(200);
  const refused = await change(before);
  const fresh = refused.cookies.get("_csrf")?.value ?? "";
  expect([refused.status, (await change(fresh)).status]).toEqual([403, 200]);
});

test("the page after an unannounced login sets a token of that login", async () => {
  await using client = testClient(makeApp());
  const before = await tokenOf(client);
  const after = await tokenOf(client, { cookie: `session_id=eve; _csrf=${before}` });
  expect(after.split(".")[0]).not.toBe(before.split(".")[0]);
  const headers = { cookie: `session_id=eve; _csrf=${after}`, "x-csrf-token": after };
  expect((await client.post("/change", { headers })).status).toBe(200);
});

test("webhooks are skipped with what is below them, and nothing that only begins alike", async () => {
  const app = makeApp({ secret, skipPaths: ["/webhooks"] });
  app.post("/webhooksx", () => "never");
  await using client = testClient(app);
  expect([(await client.post("/webhooks/stripe")).status, (await client.post("/webhooksx")).status]).toEqual([
    200, 403,
  ]);
});

test("over TLS the cookie is for TLS only", async () => {
  const app = makeApp();
  const reply = await app.fetch(new Request("https://host.test/"));
  expect(reply.headers.get("set-cookie")).toMatch(
    /^_csrf=[\w.-]+; Max-Age=86400; Path=\/; Secure; SameSite=Lax$/,
  );
});

test("names are the configuration's; a __Host- cookie keeps its promise", async () => {
  const names = { cookieName: "__Host-csrf", headerName: "X-Proof", fieldName: "proof" };
  await using client = testClient(makeApp({ secret, ...names }));
  const cookie = (await client.get("/")).cookies.get("__Host-csrf");
  expect(cookie).toMatchObject({ secure: true, path: "/" });
  const headers = { cookie: `__Host-csrf=${cookie?.value}`, "x-proof": cookie?.value ?? "" };
  expect((await client.post("/change", { headers })).status).toBe(200);
});

test("a service without a secret has one of its own, which ends with it", async () => {
  await using one = testClient(makeApp({}));
  await using other = testClient(makeApp({}));
  const token = await tokenOf(one);
  const headers = { cookie: `_csrf=${token}`, "x-csrf-token": token };
  expect([
    (await one.post("/change", { headers })).status,
    (await other.post("/change", { headers })).status,
  ]).toEqual([200, 403]);
});

test("in production a service without a secret says so", async () => {
  const warnings: unknown[] = [];
  const log = {
    info() {},
    warn: (_message: string, fields?: object) => void warnings.push(fields),
    error() {},
  };
  await makeApp({}).start({ env: "production", log });
  await makeApp({ secret }).start({ env: "production", log });
  await makeApp({}).start({ env: "development", log });
  expect(warnings).toEqual([{ code: "SECURITY_CSRF_SECRET" }]);
});

test("a body over the limit is refused as such, not read for its token", async () => {
  await using client = socketClient(makeApp(), { limits: { maxBodyBytes: 1000 } });
  const reply = await client.post("/change", { form: { _csrf: "x".repeat(2000) } });
  expect(reply.status).toBe(413);
});

test("asking for a token without the feature says what to call", async () => {
  const app = new App();
  app.get("/", (request) => csrfToken(request));
  const errors: unknown[] = [];
  await app.start({
    log: { info() {}, warn() {}, error: (_message, fields) => void errors.push(fields?.["error"]) },
  });
  await app.fetch(new Request("http://host.test/"));
  expect(errors).toMatchObject([{ code: "SECURITY_CSRF_OFF" }]);
});

test("nonsense is refused at start, all at once", async () => {
  const app = makeApp({
    secret: "short",
    cookieName: "a b",
    headerName: "Content-Type",
    fieldName: "",
    maxAge: 1,
    trustedOrigins: ["https://a.example/path"],
    skipPaths: ["/"],
    session: "id" as never,
  });
  await expect(app.start()).rejects.toThrow(
    /secret[^]*cookieName[^]*headerName[^]*fieldName[^]*maxAge[^]*trustedOrigins[^]*skipPaths[^]*session/,
  );
});
