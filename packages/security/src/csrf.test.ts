// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { once } from "node:events";
import { connect } from "node:net";
import { App, Response } from "@framework/core";
import { eachClient, socketClient, testClient, type TestClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { csrf, CsrfConfig, csrfToken, rotateCsrfToken } from "./index.ts";
import { unmask } from "./token-mask.ts";

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
  "a browser gets a token with its first page, and its requests with it pass": async (client) => {
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
  "a form has the token in a field, urlencoded or multipart, and the handler can still read the body": async (
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
  "requests without a token are refused": async (client) => {
    const refused = await client.post("/change");
    expect([refused.status, refused.json()]).toEqual([403, refusal]);
  },
});

test("csrfToken returns the token of the cookie, and makes the page private", async () => {
  await using client = testClient(makeApp());
  const page = await client.get("/form");
  expect(page.cookies.get("_csrf")?.value).toBe(page.text);
  expect(page.headers.get("vary")).toBe("Cookie");
  expect(page.headers.get("cache-control")).toBe("private, no-cache");
  const again = await client.get("/form", { headers: { cookie: `_csrf=${page.text}` } });
  expect(again.cookies.size).toBe(0);
  expect([unmask(again.text), again.headers.get("vary")]).toEqual([unmask(page.text), "Cookie"]);
});

test("a reply that shared caches may store sets no token", async () => {
  await using client = testClient(makeApp());
  for (const path of ["/shared", "/file", "/nowhere"]) expect((await client.get(path)).cookies.size).toBe(0);
});

test("a login invalidates earlier tokens, and can set its own", async () => {
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

test("after a login without rotateCsrfToken the next page sets a token of that login", async () => {
  await using client = testClient(makeApp());
  const before = await tokenOf(client);
  const after = await tokenOf(client, { cookie: `session_id=eve; _csrf=${before}` });
  expect(unmask(after).split(".")[0]).not.toBe(unmask(before).split(".")[0]);
  const headers = { cookie: `session_id=eve; _csrf=${after}`, "x-csrf-token": after };
  expect((await client.post("/change", { headers })).status).toBe(200);
});

test("skipPaths covers the paths below, but not paths with the same prefix", async () => {
  const app = makeApp({ secret, skipPaths: ["/webhooks"] });
  app.post("/webhooksx", () => "never");
  await using client = testClient(app);
  expect([(await client.post("/webhooks/stripe")).status, (await client.post("/webhooksx")).status]).toEqual([
    200, 403,
  ]);
});

test("over TLS the cookie is Secure", async () => {
  const app = makeApp();
  const reply = await app.fetch(new Request("https://host.test/"));
  expect(reply.headers.get("set-cookie")).toMatch(
    /^_csrf=[\w.-]+; Max-Age=86400; Path=\/; Secure; SameSite=Lax$/,
  );
});

test("names are configurable; a __Host- cookie is Secure with Path=/", async () => {
  const names = { cookieName: "__Host-csrf", headerName: "X-Proof", fieldName: "proof" };
  await using client = testClient(makeApp({ secret, ...names }));
  const cookie = (await client.get("/")).cookies.get("__Host-csrf");
  expect(cookie).toMatchObject({ secure: true, path: "/" });
  const headers = { cookie: `__Host-csrf=${cookie?.value}`, "x-proof": cookie?.value ?? "" };
  expect((await client.post("/change", { headers })).status).toBe(200);
});

test("a service without a secret has a random one for its lifetime", async () => {
  await using one = testClient(makeApp({}));
  await using other = testClient(makeApp({}));
  const token = await tokenOf(one);
  const headers = { cookie: `_csrf=${token}`, "x-csrf-token": token };
  expect([
    (await one.post("/change", { headers })).status,
    (await other.post("/change", { headers })).status,
  ]).toEqual([200, 403]);
});

test("in production a missing secret is logged as a warning", async () => {
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

test("a body over the limit gets 413 with a token in its cookie, and 403 without one", async () => {
  await using client = socketClient(makeApp(), { limits: { maxBodyBytes: 1000 } });
  const post = async (headers: Record<string, string>) =>
    (await client.post("/change", { headers, form: { _csrf: "x".repeat(2000) } })).status;
  expect([await post({}), await post({ cookie: `_csrf=${await tokenOf(client)}` })]).toEqual([403, 413]);
});

/** A multipart body of several megabytes with its fields in this order. */
const upload = (...fields: readonly string[]): FormData => {
  const form = new FormData();
  for (const field of fields) form.set(field, field === "file" ? new Blob(["x".repeat(3_000_000)]) : "");
  return form;
};

for (const transport of ["fast", "node"] as const) {
  test(`the token of a large form is accepted only in its first 64 KiB (${transport})`, async () => {
    const app = makeApp();
    app.post("/upload", async (request) => (await request.files()).map(({ size }) => size));
    await using client = socketClient(app, { transport });
    const token = await tokenOf(client);
    const post = (path: string, form: FormData) => {
      if (form.has("_csrf")) form.set("_csrf", token);
      return client.post(path, { headers: { cookie: `_csrf=${token}` }, form });
    };
    expect((await post("/upload", upload("_csrf", "file"))).json()).toEqual([3_000_000]);
    expect((await post("/upload", upload("file", "_csrf"))).status).toBe(403);
    const form = new URLSearchParams({ _csrf: token, text: "é".repeat(100_000) });
    const read = (fields: URLSearchParams) =>
      client.post("/read", { headers: { cookie: `_csrf=${token}` }, form: fields });
    expect((await read(form)).json()).toBe(form.toString().length);
    form.delete("_csrf");
    form.append("_csrf", token);
    expect((await read(form)).status).toBe(403);
  });

  test(`a request without a token is refused before its body, and one with only a cookie after 64 KiB (${transport})`, async () => {
    await using client = socketClient(makeApp(), { transport });
    const token = await tokenOf(client);
    const { port } = new URL(await client.url());
    const statusOf = async (path: string, cookie: string, sent: number): Promise<string> => {
      const socket = connect(Number(port), "127.0.0.1");
      const length = 50_000_000; // never arrives
      const type = "multipart/form-data; boundary=b";
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x.test\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n${cookie}\r\n` +
          `--b\r\nContent-Disposition: form-data; name=f; filename=f\r\n\r\n${"x".repeat(sent)}`,
      );
      const [answer] = (await once(socket, "data")) as [Buffer];
      socket.destroy();
      return answer.toString("latin1", 9, 12);
    };
    for (const path of ["/change", "/nowhere"]) {
      expect(await statusOf(path, "", 0)).toBe("403");
      expect(await statusOf(path, `Cookie: _csrf=${token}x\r\n`, 0)).toBe("403");
      expect(await statusOf(path, `Cookie: _csrf=${token}\r\n`, 70_000)).toBe("403");
    }
  });
}

test("csrfToken without enableCsrf throws an error that names the missing call", async () => {
  const app = new App();
  app.get("/", (request) => csrfToken(request));
  const errors: unknown[] = [];
  await app.start({
    log: { info() {}, warn() {}, error: (_message, fields) => void errors.push(fields?.["error"]) },
  });
  await app.fetch(new Request("http://host.test/"));
  expect(errors).toMatchObject([{ code: "SECURITY_CSRF_NOT_ENABLED" }]);
});

test("all problems of a configuration are reported together, at start", async () => {
  const app = makeApp({
    secret: "short",
    cookieName: "a b",
    headerName: "Content-Type",
    fieldName: "",
    maxAge: 1,
    trustedOrigins: ["https://a.example/path"],
    skipPaths: ["//"],
    session: "id" as never,
  });
  await expect(app.start()).rejects.toThrow(
    /secret[^]*cookieName[^]*headerName[^]*fieldName[^]*maxAge[^]*trustedOrigins[^]*skipPaths[^]*session/,
  );
});
