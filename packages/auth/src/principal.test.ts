import { App } from "@framework/core";
import { createInvocation } from "@framework/core/feature";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { ApiKeyAuth, BasicAuth, JwtAuth, principalOf } from "./index.ts";

const jwt = new JwtAuth({ secret: "0123456789abcdef0123456789abcdef" });
const basic = new BasicAuth(() => true);
const keys = new ApiKeyAuth({ k: "billing" });

test("principalOf returns the identity that each authentication found", async () => {
  const app = new App().use(jwt);
  app.get("/", (request) => principalOf(request));
  await using client = testClient(app);
  const bearer = { authorization: `Bearer ${await jwt.createToken({ sub: "ann", aud: "x" })}` };
  expect((await client.get("/", { headers: bearer })).json()).toMatchObject({ claims: { sub: "ann" } });
  const message = (headers: Record<string, string>) =>
    createInvocation({ kind: "message", name: "order.placed", headers });
  const [token, user, key] = [
    message(bearer),
    message({ authorization: "Basic YW5uOnA=" }),
    message({ "x-api-key": "k" }),
  ];
  await jwt.identify(token);
  await basic.identify(user);
  keys.identify(key);
  expect([principalOf(token), principalOf(user), principalOf(key)]).toEqual([
    { claims: expect.objectContaining({ sub: "ann" }) },
    { user: "ann" },
    { apiKeyName: "billing" },
  ]);
  expect(principalOf(message(bearer))).toBeNull();
});

test("cookies and query parameters identify only HTTP requests, and identify ignores skipPath", async () => {
  const cookies = new JwtAuth({
    secret: "0123456789abcdef0123456789abcdef",
    cookieName: "t",
    queryParam: "t",
  });
  const apiKeyAuth = new ApiKeyAuth({ k: "billing" }).skipPath("/open");
  const token = await cookies.createToken({ sub: "ann" });
  const app = new App().use(cookies);
  app.get("/", () => "in");
  await using client = testClient(app);
  expect((await client.get("/", { headers: { cookie: `t=${token}` } })).status).toBe(200);
  expect((await client.get(`/?t=${token}`)).status).toBe(200);
  const message = createInvocation({
    kind: "message",
    name: "/open",
    headers: { cookie: `t=${token}` },
    params: { t: token },
  });
  await expect(cookies.identify(message)).rejects.toMatchObject({ status: 401 });
  expect(() => apiKeyAuth.identify(message)).toThrow(expect.objectContaining({ status: 401 }));
});
