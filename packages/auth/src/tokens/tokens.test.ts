import type { Guard } from "@framework/core";
import { expect, test } from "@jest/globals";
import { type Claims, JwtAuth, type NewClaims, type TokenStore } from "../index.ts";
import { claimsOf, invalidTokenError, secret, setUp, type TokenApp } from "./token-app.test-kit.ts";

test("a token has its claims, its creation time, its expiry and an id", async () => {
  await using it = await setUp({ issuer: "us", audience: "api", expiration: 60 });
  const token = await it.auth.createToken({ sub: "ann", roles: ["admin"], n: null });
  const claims = (await it.send(token)).json<Claims>();
  const secs = it.secs();
  expect(claims).toEqual({
    iss: "us",
    aud: "api",
    sub: "ann",
    roles: ["admin"],
    n: null,
    iat: secs,
    exp: secs + 60,
    jti: expect.any(String),
  });
  expect(claimsOf(await it.auth.createToken({ sub: "ann" })).jti).not.toBe(claims.jti);
});

test("a token is valid until the second it expires; leeway extends that", async () => {
  for (const leewaySecs of [0, 60]) {
    await using it = await setUp({ expiration: 10, leewaySecs });
    const token = await it.auth.createToken({ sub: "ann" });
    await it.clock.advance(9_999 + leewaySecs * 1000);
    expect(await it.status(token)).toBe(200);
    await it.clock.advance(1);
    expect(await it.status(token)).toBe(401);
  }
});

test("a token is invalid before its nbf minus the leeway", async () => {
  for (const leewaySecs of [0, 30]) {
    await using it = await setUp({ leewaySecs });
    const token = await it.auth.createToken({ sub: "ann", nbf: it.secs() + 100 });
    await it.clock.advance((100 - leewaySecs - 1) * 1000);
    expect(await it.status(token)).toBe(401);
    await it.clock.advance(1000);
    expect(await it.status(token)).toBe(200);
  }
});

const cycle: Record<string, unknown> = {};
cycle["cycle"] = cycle;

test.each<[string, object]>([
  ["no sub", {}],
  ["an empty sub", { sub: "" }],
  ["a sub that is not a string", { sub: 7 }],
  ["a custom exp", { sub: "ann", exp: 1 }],
  ["a custom jti", { sub: "ann", jti: "1" }],
  ["a custom family", { sub: "ann", refresh_family: "1" }],
  ["a cycle", { sub: "ann", cycle }],
  ["a bigint", { sub: "ann", big: 1n }],
  ["claims over 8 KiB", { sub: "ann", much: "x".repeat(7000) }],
  ["33 levels", { sub: "ann", deep: JSON.parse("[".repeat(33) + "]".repeat(33)) as unknown }],
])("a token with %s is not created", async (_name, claims) => {
  await using it = await setUp();
  await expect(it.auth.createToken(claims as NewClaims)).rejects.toMatchObject({ code: "AUTH_BAD_CLAIMS" });
});

test("claims are frozen, so a handler cannot change them for the next one", async () => {
  const frozen: unknown[] = [];
  const guard: Guard = ({ context }) => {
    const claims = context.get("jwt_claims") as { a: { b: unknown[] } };
    frozen.push(
      Object.isFrozen(claims),
      Object.isFrozen(claims.a),
      Object.isFrozen(claims.a.b),
      Object.getPrototypeOf(claims),
    );
  };
  await using it = await setUp({}, [guard]);
  expect(await it.status(await it.auth.createToken({ sub: "ann", a: { b: [1] } }))).toBe(200);
  expect(frozen).toEqual([true, true, true, null]);
});

test("a token revoked by its id or by its claims is refused, and others are not", async () => {
  await using it = await setUp();
  const [first = "", second = "", third = ""] = await Promise.all(
    ["a", "b", "c"].map((sub) => it.auth.createToken({ sub })),
  );
  const { jti = "" } = claimsOf(first);
  expect([await it.auth.isRevoked(jti), await it.status(first)]).toEqual([false, 200]);
  await it.auth.revokeToken(jti);
  await it.auth.revokeToken((await it.send(second)).json<Claims>());
  expect(await Promise.all([first, second, third].map(it.status))).toEqual([401, 401, 200]);
  expect(await it.auth.isRevoked(jti)).toBe(true);
});

test("a revocation lasts as long as the token is valid, for every issuer", async () => {
  await using it = await setUp({ expiration: 10, refreshExpiration: 10 });
  const far = { sub: "x", exp: it.secs() + 5000, jti: "far" };
  const revocations: [string, number][] = [];
  const store: TokenStore = {
    revoke: (id, at) => void revocations.push([id, at]),
    isRevoked: () => false,
    consume: () => true,
  };
  await using recorder = await setUp({ store, expiration: 10, refreshExpiration: 20, leewaySecs: 5 });
  await recorder.auth.revokeToken("near");
  await recorder.auth.revokeToken(far);
  await recorder.auth.revokeToken({ ...far, refresh_family: "f" });
  expect(revocations).toEqual([
    ["jti:near", it.secs() + 25],
    ["jti:far", it.secs() + 5005],
    ["family:f", it.secs() + 5005],
  ]);
});

test("a value that is not an id is refused", async () => {
  await using it = await setUp();
  const claims = { sub: "ann", exp: 1 };
  const malformedIds = [null, 5, "", "x".repeat(257)].map((jti) => ({ ...claims, jti }));
  for (const invalid of [await it.auth.createToken({ sub: "ann" }), claims, ...malformedIds]) {
    await expect(it.auth.revokeToken(invalid as string)).rejects.toMatchObject({ code: "AUTH_BAD_CLAIMS" });
  }
});

test("a refresh token returns the next pair, and is refused for requests", async () => {
  await using it = await setUp({ expiration: 10, refreshExpiration: 100 });
  const pair = await it.auth.createTokens({ sub: "ann", roles: ["a"] });
  expect([await it.status(pair.token), await it.status(pair.refreshToken), pair.expiresIn]).toEqual([
    200, 401, 10,
  ]);
  await it.clock.advance(99_000);
  expect(await it.status(pair.token)).toBe(401);
  const next = await it.auth.refreshToken(pair.refreshToken);
  expect((await it.send(next.token)).json()).toMatchObject({
    sub: "ann",
    roles: ["a"],
    exp: it.secs() + 10,
  });
  await it.clock.advance(99_000);
  expect((await it.auth.refreshToken(next.refreshToken)).expiresIn).toBe(10);
});

test("a reused refresh token revokes all tokens of its login, and no others", async () => {
  await using it = await setUp();
  const stolen = await it.auth.createTokens({ sub: "ann" });
  const bystander = await it.auth.createTokens({ sub: "ann" });
  const thief = await it.auth.refreshToken(stolen.refreshToken);
  expect(await it.status(thief.token)).toBe(200);
  await expect(it.auth.refreshToken(stolen.refreshToken)).rejects.toMatchObject(invalidTokenError);
  expect(await Promise.all([stolen.token, thief.token, bystander.token].map(it.status))).toEqual([
    401, 401, 200,
  ]);
  await expect(it.auth.refreshToken(thief.refreshToken)).rejects.toMatchObject(invalidTokenError);
  expect(await it.auth.refreshToken(bystander.refreshToken)).toMatchObject({ token: expect.any(String) });
  expect(it.logged).toEqual(["a refresh token was reused; all tokens of its login are revoked"]);
});

test("concurrent uses of one refresh token leave no valid token", async () => {
  await using it = await setUp();
  const { refreshToken } = await it.auth.createTokens({ sub: "ann" });
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, () => it.auth.refreshToken(refreshToken)),
  );
  const successes = results.filter((each) => each.status === "fulfilled");
  expect(successes.length).toBe(1);
  for (const { value } of successes) expect(await it.status(value.token)).toBe(401);
});

test("revoking claims of a pair, as at logout, also revokes its refresh token", async () => {
  await using it = await setUp();
  const pair = await it.auth.createTokens({ sub: "ann" });
  const { jti = "" } = claimsOf(pair.token);
  expect(await it.auth.isRevoked(jti)).toBe(false);
  await it.auth.revokeToken((await it.send(pair.token)).json<Claims>());
  expect(await it.auth.isRevoked(jti)).toBe(true);
  await expect(it.auth.refreshToken(pair.refreshToken)).rejects.toMatchObject(invalidTokenError);
});

test("update may change the claims of the next pair; if it throws, the token is not consumed", async () => {
  await using it = await setUp();
  const { refreshToken } = await it.auth.createTokens({ sub: "ann", roles: ["a"], nbf: 1 });
  const refreshing = it.auth.refreshToken(refreshToken, () => {
    throw new Error("no such user");
  });
  await expect(refreshing).rejects.toThrow("no such user");
  const next = await it.auth.refreshToken(refreshToken, async ({ sub }) => ({ sub, roles: ["b"] }));
  expect(claimsOf(next.token)).toMatchObject({ sub: "ann", roles: ["b"] });
});

test.each<[string, (it: TokenApp) => Promise<string>]>([
  ["no token", async () => "x"],
  ["a token for requests", (it) => it.auth.createToken({ sub: "ann" })],
  ["the token of a pair", async (it) => (await it.auth.createTokens({ sub: "ann" })).token],
  [
    "a token signed with another secret",
    async () => (await new JwtAuth({ secret: "x".repeat(32) }).createTokens({ sub: "ann" })).refreshToken,
  ],
  [
    "an expired token",
    async (it) => {
      const { refreshToken } = await it.auth.createTokens({ sub: "ann" });
      await it.clock.advance(1_209_600_000);
      return refreshToken;
    },
  ],
])("%s is refused as a refresh token", async (_name, make) => {
  await using it = await setUp();
  await expect(it.auth.refreshToken(await make(it))).rejects.toMatchObject(invalidTokenError);
});

test("a failing store refuses every request with 503, and logs", async () => {
  const away = () => {
    throw new Error("away");
  };
  await using it = await setUp({ store: { revoke: away, isRevoked: away, consume: away } });
  const reply = await it.send(await it.auth.createToken({ sub: "ann" }));
  expect([reply.status, reply.headers.get("retry-after"), reply.text.includes("away")]).toEqual([
    503,
    "1",
    false,
  ]);
  expect(it.logged).toEqual(["the token store failed and the request was refused"]);
});

test("a cached token is refused after its revocation or expiry, and accepted after its eviction", async () => {
  await using it = await setUp({ cachedTokens: 2, expiration: 100 });
  const tokens = await Promise.all(["a", "b", "c"].map((sub) => it.auth.createToken({ sub })));
  const statuses = async () => Promise.all(tokens.map(it.status));
  expect([await statuses(), await statuses()]).toEqual([
    [200, 200, 200],
    [200, 200, 200],
  ]);
  await it.auth.revokeToken(claimsOf(tokens[2] ?? "").jti ?? "");
  expect(await statuses()).toEqual([200, 200, 401]);
  await it.clock.advance(100_000);
  expect(await statuses()).toEqual([401, 401, 401]);
});

test("checking and revoking need a started app", async () => {
  const auth = new JwtAuth({ secret });
  const { refreshToken } = await auth.createTokens({ sub: "ann" });
  for (const call of [auth.revokeToken("a"), auth.isRevoked("a"), auth.refreshToken(refreshToken)])
    await expect(call).rejects.toMatchObject({ code: "AUTH_NOT_STARTED" });
});
