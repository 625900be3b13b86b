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

/** A login method: the authentication of the app, and the fields that a logged-in browser sends. */
interface LoginMethod {
  readonly csrf?: Partial<CsrfConfig>;
  install(app: App & Sessions): { readonly fieldsOf: (user: string) => Promise<Fields> | Fields };
}

const jwt = (): JwtAuth => new JwtAuth({ secret, cookieName: "login", expiration: 60 }).skipPath("/public");
const bySub: LoginMethod["install"] = (app) => {
  const auth = jwt();
  app.use(auth);
  return { fieldsOf: async (sub) => ({ cookie: `login=${await auth.createToken({ sub })}` }) };
};

/** The login methods, named as in the login table of the security README. */
const loginMethods: Readonly<Record<string, LoginMethod>> = {
  "`JwtAuth` with `cookieName`": { install: bySub },
  "`BasicAuth`": {
    install(app) {
      app.use(new BasicAuth((_name, password) => password === "right").skipPath("/public"));
      return { fieldsOf: (user) => ({ authorization: `Basic ${btoa(`${user}:right`)}` }) };
    },
  },
  "`enableSessions`": {
    install(app) {
      app.enableSessions();
      app.post("/public/in/{user}", async (request) => {
        await sessionOf(request).login(request.params.user);
        return "in";
      });
      return {
        async fieldsOf(user) {
          const headers = { authorization: "Bearer of a program" }; // needs no CSRF token
          const url = `http://localhost/public/in/${user}`;
          const reply = await app.fetch(new Request(url, { method: "POST", headers }));
          return { cookie: /session_id=[^;]+/.exec(reply.headers.get("set-cookie") ?? "")?.[0] ?? "" };
        },
      };
    },
  },
  "a session of the application": {
    install: () => ({ fieldsOf: (user) => ({ cookie: `session_id=${user}` }) }),
  },
  "`session: (request) => …`": {
    csrf: { session: ({ context }) => String(context.get(JwtClaims)?.["sub"] ?? "") || null },
    install: bySub,
  },
};

const open = async (method: LoginMethod) => {
  const app = new WithCsrf().enableCsrf({ secret, ...method.csrf });
  const { fieldsOf } = method.install(app);
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

test.each(Object.entries(loginMethods))(
  "with %s, a token is invalid for another login",
  async (_name, method) => {
    const { client, fieldsOf } = await open(method);
    await using _client = client;
    const [ann, eve] = [await fieldsOf("ann"), await fieldsOf("eve")];
    const statusOf = async (token: string) =>
      (await client.post("/change", { headers: withCookie(ann, token) })).status;
    const ownToken = await tokenOf(client, "/page", ann);
    const visitorToken = await tokenOf(client, "/public/page", {});
    const otherToken = await tokenOf(client, "/page", eve);
    expect([await statusOf(ownToken), await statusOf(visitorToken), await statusOf(otherToken)]).toEqual([
      200, 403, 403,
    ]);
    const again = await client.get("/page", { headers: withCookie(ann, ownToken) });
    expect(again.cookies.size).toBe(0); // a valid token is kept
    const rejection = await client.post("/change", { headers: withCookie(ann, otherToken) });
    expect(await statusOf(rejection.cookies.get("_csrf")?.value ?? "")).toBe(200); // the rejection set a valid token, to retry
    const mixed = { ...withCookie(ann, ownToken), "x-csrf-token": otherToken };
    expect((await client.post("/change", { headers: mixed })).status).toBe(403);
  },
);

test("a login can set the CSRF token of its user", async () => {
  const { client, fieldsOf } = await open({ install: bySub });
  await using _client = client;
  const visitorToken = await tokenOf(client, "/public/page", {});
  const login = await client.post("/public/login/ann", { headers: withCookie({}, visitorToken) });
  const token = login.cookies.get("_csrf")?.value ?? "";
  expect((await client.post("/change", { headers: withCookie(await fieldsOf("ann"), token) })).status).toBe(
    200,
  );
});

test("a renewed access token of the same user keeps the CSRF token valid", async () => {
  const { client, fieldsOf } = await open({ install: bySub });
  await using _client = client;
  const token = await tokenOf(client, "/page", await fieldsOf("ann"));
  const renewed = withCookie(await fieldsOf("ann"), token);
  expect((await client.post("/change", { headers: renewed })).status).toBe(200);
});

test("the login table of the security README lists exactly the tested methods", () => {
  const readme = readFileSync(new URL("../../../packages/security/README.md", import.meta.url), "utf8");
  const table = readme.slice(readme.indexOf("| Login by")).split("\n\n")[0] ?? "";
  const rows = table.split("\n").slice(2);
  expect(rows.map((row) => row.split("|")[1]?.trim())).toEqual(Object.keys(loginMethods));
});
