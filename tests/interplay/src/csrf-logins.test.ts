import { readFileSync } from "node:fs";
import { JwtAuth, JwtClaims, BasicAuth } from "@framework/auth";
import { App } from "@framework/core";
import { csrf, type CsrfConfig, rotateCsrfToken } from "@framework/security";
import { sessionOf, type Sessions, sessions } from "@framework/sessions";
import { testClient, type TestClient } from "@framework/testing";
import { expect, test } from "@jest/globals";

const secret = "0123456789abcdef0123456789abcdef";

type Fields = Readonly<Record<string, string>>;
const WithCsrf = App.with(csrf, sessions);

/** A way of logging in: how the app authenticates, and what a browser with a login sends. */
interface Way {
  readonly csrf?: Partial<CsrfConfig>;
  set(app: App & Sessions): { readonly fieldsOf: (user: string) => Promise<Fields> | Fields };
}

const jwt = (): JwtAuth => new JwtAuth({ secret, cookieName: "login", expiration: 60 }).skipPath("/public");
const bySub: Way["set"] = (app) => {
  const auth = jwt();
  app.use(auth);
  return { fieldsOf: async (sub) => ({ cookie: `login=${await auth.createToken({ sub })}` }) };
};

/** The rows of the README's table. */
const ways: Readonly<Record<string, Way>> = {
  "`JwtAuth` with `cookieName`": { set: bySub },
  "`BasicAuth`": {
    set(app) {
      app.use(new BasicAuth((_name, password) => password === "right").skipPath("/public"));
      return { fieldsOf: (user) => ({ authorization: `Basic ${btoa(`${user}:right`)}` }) };
    },
  },
  "`enableSessions`": {
    set(app) {
      app.enableSessions();
      app.post("/public/in/{user}", async (request) => {
        await sessionOf(request).login(request.params.user);
        return "in";
      });
      return {
        async fieldsOf(user) {
          const headers = { authorization: "Bearer of a program" }; // which needs no CSRF token
          const url = `http://localhost/public/in/${user}`;
          const reply = await app.fetch(new Request(url, { method: "POST", headers }));
          return { cookie: /session_id=[^;]+/.exec(reply.headers.get("set-cookie") ?? "")?.[0] ?? "" };
        },
      };
    },
  },
  "a session of the application": { set: () => ({ fieldsOf: (user) => ({ cookie: `session_id=${user}` }) }) },
  "`session: (request) => …`": {
    csrf: { session: ({ context }) => String(context.get(JwtClaims)?.["sub"] ?? "") || null },
    set: bySub,
  },
};

const open = async (way: Way) => {
  const app = new WithCsrf().enableCsrf({ secret, ...way.csrf });
  const { fieldsOf } = way.set(app);
  app.get("/public/page", () => "page");
  app.get("/page", () => "page");
  app.post("/change", () => "changed");
  app.post("/public/login/{user}", (request) => {
    rotateCsrfToken(request, null, request.params.user);
    return "in";
  });
  const client = testClient(app);
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  return { client, fieldsOf };
};

const withCookie = (fields: Fields, token: string): Fields => ({
  ...fields,
  cookie: [fields["cookie"], `_csrf=${token}`].filter(Boolean).join("; "),
  "x-csrf-token": token,
});

const tokenOf = async (client: TestClient, path: string, headers: Fields): Promise<string> =>
  (await client.get(path, { headers })).cookies.get("_csrf")?.value ?? "";

test.each(Object.entries(ways))("with %s a token is worth nothing for another login", async (_name, way) => {
  const { client, fieldsOf } = await open(way);
  await using _client = client;
  const [ann, eve] = [await fieldsOf("ann"), await fieldsOf("eve")];
  const statusOf = async (token: string) =>
    (await client.post("/change", { headers: withCookie(ann, token) })).status;
  const own = await tokenOf(client, "/page", ann);
  const visitors = await tokenOf(client, "/public/page", {});
  const foreign = await tokenOf(client, "/page", eve);
  expect([await statusOf(own), await statusOf(visitors), await statusOf(foreign)]).toEqual([200, 403, 403]);
  const again = await client.get("/page", { headers: withCookie(ann, own) });
  expect(again.cookies.size).toBe(0); // an own token is kept
  const refused = await client.post("/change", { headers: withCookie(ann, foreign) });
  expect(await statusOf(refused.cookies.get("_csrf")?.value ?? "")).toBe(200); // to retry
  const mixed = { ...withCookie(ann, own), "x-csrf-token": foreign };
  expect((await client.post("/change", { headers: mixed })).status).toBe(403);
});

test("a login can set the token of its caller", async () => {
  const { client, fieldsOf } = await open({ set: bySub });
  await using _client = client;
  const visitors = await tokenOf(client, "/public/page", {});
  const login = await client.post("/public/login/ann", { headers: withCookie({}, visitors) });
  const token = login.cookies.get("_csrf")?.value ?? "";
  expect((await client.post("/change", { headers: withCookie(await fieldsOf("ann"), token) })).status).toBe(
    200,
  );
});

test("a renewed token of the same caller keeps the CSRF token", async () => {
  const { client, fieldsOf } = await open({ set: bySub });
  await using _client = client;
  const token = await tokenOf(client, "/page", await fieldsOf("ann"));
  const renewed = withCookie(await fieldsOf("ann"), token);
  expect((await client.post("/change", { headers: renewed })).status).toBe(200);
});

test("the table of logins in the README of security has exactly these ways", () => {
  const readme = readFileSync(new URL("../../../packages/security/README.md", import.meta.url), "utf8");
  const table = readme.slice(readme.indexOf("| Login by")).split("\n\n")[0] ?? "";
  const rows = table.split("\n").slice(2);
  expect(rows.map((row) => row.split("|")[1]?.trim())).toEqual(Object.keys(ways));
});
