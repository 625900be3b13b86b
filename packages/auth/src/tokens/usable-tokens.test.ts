import type { ConfigInput } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { JwtAuth, type JwtConfig, type NewClaims } from "../index.ts";
import { forge } from "../jwt/forge.test-kit.ts";
import { claimsOf, invalidTokenError, setUp } from "./token-app.test-kit.ts";

const bad = { code: "AUTH_BAD_CLAIMS" };

test.each<[string, ConfigInput<JwtConfig>, object]>([
  ["nbf: it must be a time", {}, { nbf: "x" }],
  ["nbf: it must be a time", { expiration: 10 }, { nbf: 1_800_000_010 }],
  ["tenant: JwtConfig.requiredClaims lists it", { requiredClaims: ["sub", "tenant"] }, {}],
  ["tenant: JwtConfig.requiredClaims lists it", { requiredClaims: ["tenant"] }, { tenant: undefined }],
  ["iss: it must be JwtConfig.issuer", { issuer: "me" }, { iss: "zzz" }],
  ["iss: it must be", {}, { iss: 5 }],
  ["aud: it must name one of JwtConfig.audience", { audience: "a" }, { aud: "zzz" }],
  ["aud: it must name", {}, { aud: [5] }],
  ["$.tenant is a function", { requiredClaims: ["tenant"] }, { tenant: () => "a" }],
  ["$.roles is a Set", {}, { roles: new Set(["admin"]) }],
  ["$.rights is a Map", {}, { rights: new Map([["books", "read"]]) }],
  ["$.limit is NaN", {}, { limit: Number.NaN }],
])("a token that would be refused is not created: %s (%j, %j)", async (message, config, claims) => {
  await using it = await setUp(config);
  const all = { sub: "ann", ...claims };
  for (const creating of [it.auth.createToken(all), it.auth.createTokens(all)])
    await expect(creating).rejects.toMatchObject({ ...bad, message: expect.stringContaining(message) });
});

test.each<[ConfigInput<JwtConfig>, object]>([
  [{ issuer: "me", audience: ["a", "b"] }, {}],
  [
    { issuer: "me", audience: ["a", "b"] },
    { iss: "me", aud: "b" },
  ],
  [
    { issuer: "me", audience: ["a", "b"] },
    { iss: undefined, aud: undefined },
  ],
  [{ requiredClaims: ["tenant"] }, { tenant: 0 }],
  [{ requiredClaims: ["nbf", "iat", "jti"] }, { nbf: 1_800_000_000 }],
  [{ expiration: 1, leewaySecs: 60 }, { nbf: 1_800_000_030 }],
])("a token and its successor are accepted: %j, %j", async (config, claims) => {
  await using it = await setUp(config);
  const pair = await it.auth.createTokens({ sub: "ann", ...claims });
  const next = await it.auth.refreshToken(pair.refreshToken);
  expect([await it.status(pair.token), await it.status(next.token)]).toEqual([200, 200]);
});

test.each([undefined, null, 5, "ann", []])("%j is refused as claims", async (claims) => {
  await using it = await setUp();
  await expect(it.auth.createToken(claims as unknown as NewClaims)).rejects.toMatchObject(bad);
});

test("a token without sub is refused, even if requiredClaims does not list it", async () => {
  const statuses: number[] = [];
  for (const requiredClaims of [[], ["tenant"], ["sub"]]) {
    await using it = await setUp({ requiredClaims });
    const claims = { exp: it.secs() + 100, tenant: "t" };
    const sign = (own: object): string => forge({ alg: "HS256" }, { ...claims, ...own });
    statuses.push(await it.status(sign({})), await it.status(sign({ sub: "ann" })));
  }
  expect(statuses).toEqual([401, 200, 401, 200, 401, 200]);
});

test("update gets the claims, except claims that only JwtAuth sets, and may spread them", async () => {
  await using it = await setUp({ issuer: "me" });
  const { refreshToken } = await it.auth.createTokens({ sub: "ann", roles: ["a"], tenant: "t" });
  const seen: NewClaims[] = [];
  const next = await it.auth.refreshToken(refreshToken, (claims) => {
    seen.push(claims);
    return { ...claims, roles: ["b"] };
  });
  expect(seen).toEqual([{ iss: "me", sub: "ann", roles: ["a"], tenant: "t" }]);
  expect(claimsOf(next.token)).toMatchObject({ iss: "me", sub: "ann", roles: ["b"], tenant: "t" });
});

test("an update that returns nothing is an error, and the token is not consumed", async () => {
  await using it = await setUp();
  const { refreshToken } = await it.auth.createTokens({ sub: "ann" });
  const nothing = it.auth.refreshToken(refreshToken, (() => undefined) as never);
  await expect(nothing).rejects.toMatchObject({
    ...bad,
    message: "update of refreshToken must return the claims, such as { ...claims, roles }",
  });
  expect(await it.auth.refreshToken(refreshToken)).toMatchObject({ expiresIn: 3600 });
});

test("a value that does not identify a token is refused, and revokes nothing", async () => {
  await using it = await setUp();
  const token = await it.auth.createToken({ sub: "ann" });
  for (const value of [
    "",
    token,
    "x".repeat(257),
    undefined,
    null,
    5,
    {},
    { jti: "x" },
    { jti: "x", exp: "1" },
  ])
    await expect(it.auth.revokeToken(value as never)).rejects.toMatchObject(bad);
  for (const value of ["", token, undefined, 5])
    await expect(it.auth.isRevoked(value as never)).rejects.toMatchObject(bad);
  expect([await it.status(token), it.logged]).toEqual([200, []]);
});

test.each([undefined, null, 5, {}])("the refresh token %j is refused like any invalid one", async (token) => {
  await using it = await setUp();
  await expect(it.auth.refreshToken(token as never)).rejects.toMatchObject(invalidTokenError);
});

test.each(["https://user:hunter2@idp.test/jwks", "https://user@idp.test/jwks", "https://:hunter2@idp.test/"])(
  "a key set URL with credentials is a start error, which does not show them: %s",
  async (jwksUrl) => {
    const auth = new JwtAuth({ algorithm: "RS256", jwksUrl });
    const error: unknown = await auth.createToken({ sub: "ann" }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ problems: [{ code: "AUTH_BAD_KEY_SET_URL" }] });
    expect(String(error)).toContain("must have no user and password");
    expect(String(error)).not.toMatch(/hunter2|user@/);
  },
);
