// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { App, HttpError } from "@framework/core";
import { createInvocation, SessionId } from "@framework/core/feature";
import { eachClient, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { anyOf, ApiKeyAuth, AuthenticatedGuard, BasicAuth, JwtAuth, RoleGuard } from "./index.ts";

const secret = "0123456789abcdef0123456789abcdef";
const jwt = new JwtAuth({ secret });
const token = { authorization: `Bearer ${await jwt.createToken({ sub: "ann" })}` };
const user = { authorization: `Basic ${Buffer.from("ann:p").toString("base64")}` };
const key = { "x-api-key": "k" };
const basic = () => new BasicAuth(async (_name, password) => password === "p");
const apiKey = () => new ApiKeyAuth({ k: "billing" });
const contextNames = ({ context }: { context: Iterable<[string, unknown]> }) =>
  [...context].map(([name]) => name).toSorted();

const bearerChallenge = 'Bearer realm="Restricted"';
const apiKeyChallenge = 'ApiKey header="X-API-Key"';

const appWith =
  (...chain: readonly Parameters<App["use"]>[0][]) =>
  () => {
    const app = new App();
    for (const middleware of chain) app.use(middleware);
    app.get("/", contextNames);
    app.get("/open", contextNames);
    return app;
  };

eachClient(test, appWith(jwt, apiKey()), {
  "all added authentications must accept; the first refusal is the reply": async (client) => {
    const send = async (headers: Record<string, string>) => {
      const reply = await client.get("/", { headers });
      return reply.status === 200 ? reply.json() : [reply.status, reply.headers.get("www-authenticate")];
    };
    expect(await send({ ...token, ...key })).toEqual(["api_key_name", "jwt_claims"]);
    expect(await send({})).toEqual([401, bearerChallenge]);
    expect(await send(key)).toEqual([401, bearerChallenge]);
    expect(await send(token)).toEqual([401, apiKeyChallenge]);
    expect(await send({ ...token, "x-api-key": "x" })).toEqual([401, apiKeyChallenge]);
  },
});

eachClient(test, appWith(anyOf(jwt, basic(), apiKey()).skipPath("/open")), {
  "anyOf needs one authentication to accept; the last refusal is the reply": async (client) => {
    const send = async (headers: Record<string, string>, path = "/") => {
      const reply = await client.get(path, { headers });
      return reply.status === 200 ? reply.json() : [reply.status, reply.headers.get("www-authenticate")];
    };
    expect(await send(token)).toEqual(["jwt_claims"]);
    expect(await send(user)).toEqual(["user"]);
    expect(await send(key)).toEqual(["api_key_name"]);
    expect(await send({ ...token, ...key })).toEqual(["jwt_claims"]);
    expect(await send({ authorization: `${token.authorization}x`, ...key })).toEqual(["api_key_name"]);
    expect(await send({})).toEqual([401, apiKeyChallenge]);
    expect(await send({ authorization: `${token.authorization}x` })).toEqual([401, apiKeyChallenge]);
    expect(await send({}, "/open")).toEqual([]);
  },
});

test("anyOf skips a path that one of its alternatives skips", async () => {
  await using client = testClient(appWith(anyOf(basic().skipPath("/open"), apiKey()))());
  expect([(await client.get("/open")).status, (await client.get("/")).status]).toEqual([200, 401]);
});

test("an error other than 401 stops anyOf: 503 stays 503, others become 500", async () => {
  for (const [error, status] of [
    [new HttpError(503, "away"), 503],
    [new Error("bug"), 500],
  ] as const) {
    for (const verify of [
      () => Promise.reject(error),
      () => {
        throw error;
      },
    ]) {
      await using client = testClient(appWith(anyOf(new BasicAuth(verify), apiKey()))(), {
        log: { info() {}, warn() {}, error() {} },
      });
      expect((await client.get("/", { headers: { ...user, ...key } })).status).toBe(status);
    }
  }
});

test("anyOf without arguments throws, and invalid alternatives are reported at start", async () => {
  expect(() => anyOf()).toThrow(expect.objectContaining({ code: "AUTH_GUARD_EMPTY" }));
  await expect(new App().use(anyOf(new JwtAuth({}), new ApiKeyAuth({}))).start()).rejects.toMatchObject({
    problems: [
      expect.objectContaining({ code: "AUTH_NO_KEY" }),
      expect.objectContaining({ code: "AUTH_BAD_API_KEY" }),
    ],
  });
});

test("routes list their authentications for API documents", () => {
  const cookies = new JwtAuth({ secret, cookieName: "session", queryParam: "token" });
  const app = appWith(
    anyOf(cookies, basic()).skipPath("/open"),
    new ApiKeyAuth({ k: "s" }, "Service-Token"),
  )();
  const apiKeyAuth = { type: "apiKey", in: "header", name: "Service-Token" };
  const alternatives = {
    bearerAuth: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
    cookieAuth: { type: "apiKey", in: "cookie", name: "session" },
    queryAuth: { type: "apiKey", in: "query", name: "token" },
    basicAuth: { type: "http", scheme: "basic" },
  };
  expect(app.routes.map(({ path, auth }) => [path, auth.map(({ schemes }) => schemes)])).toEqual([
    ["/", [alternatives, { apiKeyAuth }]],
    ["/open", [{ apiKeyAuth }]],
  ]);
  const [firstRoute] = new App().use(new JwtAuth({ secret, headerName: "X-Token", scheme: "" })).routes;
  expect(firstRoute).toBeUndefined();
  expect(new JwtAuth({ secret, headerName: "X-Token", scheme: "" }).describeAuth().schemes).toEqual({
    bearerAuth: { type: "apiKey", in: "header", name: "X-Token" },
  });
});

test("anyOf describes each scheme under a distinct name, and equal ones once", () => {
  const keyIn = (header: string) => new ApiKeyAuth({ k: "k" }, header);
  const auth = anyOf(keyIn("A"), basic(), keyIn("B"), keyIn("A"), anyOf(keyIn("C"), keyIn("B")));
  const field = (name: string) => ({ type: "apiKey", in: "header", name });
  expect(auth.describeAuth().schemes).toEqual({
    apiKeyAuth: field("A"),
    basicAuth: { type: "http", scheme: "basic" },
    apiKeyAuth2: field("B"),
    apiKeyAuth3: field("C"),
  });
});

test("identify authenticates without sending a reply, for example for an upgrade or a gRPC call", async () => {
  const seen: unknown[] = [];
  const auth = anyOf(jwt, apiKey());
  const app = new App().use({
    install: (host) => auth.install(host),
    async handle(request, next) {
      await Promise.resolve(auth.identify(request)).then(
        () => seen.push(contextNames(request)),
        (error: HttpError) => seen.push([error.status, error.headers]),
      );
      return next(request);
    },
  });
  await using client = testClient(app);
  for (const headers of [token, key, {}]) await client.get("/", { headers });
  expect(seen).toEqual([["jwt_claims"], ["api_key_name"], [401, { "www-authenticate": apiKeyChallenge }]]);
});

test("a repeated credential field is refused when a transport passes on both values", async () => {
  await using client = testClient(appWith(jwt)());
  await client.get("/");
  for (const [auth, value] of [
    [jwt, token.authorization],
    [basic(), user.authorization],
  ] as const) {
    const messageWith = (times: number) => {
      const headers = { authorization: Array.from({ length: times }, () => value) };
      return createInvocation({ kind: "message", name: "order.placed", headers });
    };
    await auth.identify(messageWith(1));
    await expect((async () => auth.identify(messageWith(2)))()).rejects.toMatchObject({ status: 401 });
  }
});

test("one authentication serves several apps concurrently, and continues when one of them stops", async () => {
  const [first, second] = [testClient(appWith(jwt)()), testClient(appWith(jwt)())];
  {
    await using client = first;
    expect((await client.get("/", { headers: token })).status).toBe(200);
    expect((await second.get("/", { headers: token })).status).toBe(200);
  }
  await using client = second;
  expect((await client.get("/", { headers: token })).status).toBe(200);
});

test("Vary lists a field once even if several alternatives read it", async () => {
  const app = new App().use(
    anyOf(jwt, apiKey(), basic(), new JwtAuth({ secret, headerName: "authorization" })),
  );
  app.get("/", () => "in");
  await using client = testClient(app);
  expect((await client.get("/", { headers: key })).headers.get("vary")).toBe("Authorization, X-API-Key");
});

test("the 401 of a guard has the challenges of the authentications that exempted the path", async () => {
  const all = anyOf(new JwtAuth({ secret, headerName: "X-Token" }), basic(), apiKey());
  for (const [authentication, challenge] of [
    [apiKey(), apiKeyChallenge],
    [basic(), 'Basic realm="Restricted", charset="UTF-8"'],
    [new JwtAuth({ secret }), bearerChallenge],
    [new JwtAuth({ secret, scheme: "Token" }), 'Token realm="Restricted"'],
    [new JwtAuth({ secret, headerName: "X-Token", scheme: "Token" }), 'Token realm="Restricted"'],
    [
      anyOf(new JwtAuth({ secret, headerName: "X-A" }), new JwtAuth({ secret, headerName: "X-B" })),
      bearerChallenge,
    ],
    [all, `${bearerChallenge}, Basic realm="Restricted", charset="UTF-8", ${apiKeyChallenge}`],
  ] as const) {
    const app = new App().use(authentication.skipPath("/open"));
    app.get("/open", { guards: [new AuthenticatedGuard()] }, () => "in");
    app.get("/open/admin", { guards: [new RoleGuard("admin")] }, () => "in");
    for (const path of ["/open", "/open/admin"]) {
      const { status, headers } = await app.fetch(new Request(`http://localhost${path}`));
      expect([status, headers.get("www-authenticate")]).toEqual([401, challenge]);
    }
  }
});

test("the 401 of a guard has the challenge of sessions if the app has them, and Bearer without any authentication", async () => {
  const app = new App();
  app.use((request, next) => {
    if (request.path === "/session") request.context.set(SessionId, null);
    return next(request);
  });
  for (const path of ["/session", "/other"])
    app.get(path, { guards: [new AuthenticatedGuard()] }, () => "in");
  const challengeOf = async (path: string) =>
    (await app.fetch(new Request(`http://localhost${path}`))).headers.get("www-authenticate");
  expect([await challengeOf("/session"), await challengeOf("/other")]).toEqual([
    'Session realm="Restricted"',
    bearerChallenge,
  ]);
});
