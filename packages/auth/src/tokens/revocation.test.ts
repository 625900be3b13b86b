import { generateKeyPairSync } from "node:crypto";
import { App } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type Claims, JwtAuth, type JwtConfig, type TokenPair, type TokenStore } from "../index.ts";
import { forge, jwk, rsa } from "../jwt/forge.test-kit.ts";
import { claimsOf, invalidTokenError, secret, setUp, type TokenApp } from "./token-app.test-kit.ts";

const fail = (): never => {
  throw new Error("store unreachable");
};

test.each<[string, (it: TokenApp, claims: Claims) => Promise<void>]>([
  ["the login", (it, claims) => it.auth.revokeToken(claims)],
  ["the refresh token itself", (it, claims) => it.auth.revokeToken(claims.jti ?? "")],
])(
  "if %s is revoked during a slow update, the refresh fails and no reuse is logged",
  async (_name, revoke) => {
    await using it = await setUp();
    const { token, refreshToken } = await it.auth.createTokens({ sub: "ann" });
    const refreshing = it.auth.refreshToken(refreshToken, async () => {
      await revoke(it, claimsOf(refreshToken));
      return { sub: "ann" };
    });
    await expect(refreshing).rejects.toMatchObject(invalidTokenError);
    await expect(it.auth.refreshToken(refreshToken)).rejects.toMatchObject(invalidTokenError);
    expect(it.logged).toEqual([]);
    expect(claimsOf(token).sub).toBe("ann");
  },
);

test.each([2 ** 63, 1e306])(
  "a token of another issuer that never expires (%p) is revoked until 2^40",
  async (exp) => {
    const given: number[] = [];
    const store: TokenStore = {
      revoke: (_id, expiresAt) => void given.push(expiresAt),
      isRevoked: () => false,
      consume: () => true,
    };
    await using it = await setUp({ store });
    await it.auth.revokeToken({ sub: "ann", jti: "a", exp });
    expect(given).toEqual([2 ** 40]);
    await using own = await setUp();
    await own.auth.revokeToken({ sub: "ann", jti: "a", exp });
    expect(await own.auth.isRevoked("a")).toBe(true);
  },
);

test("a refresh token is not consumed when the next claims are invalid", async () => {
  await using it = await setUp();
  const { refreshToken } = await it.auth.createTokens({ sub: "ann" });
  const bad = it.auth.refreshToken(refreshToken, () => ({ sub: "ann", much: "x".repeat(9000) }));
  await expect(bad).rejects.toMatchObject({ code: "AUTH_BAD_CLAIMS" });
  expect(await it.auth.refreshToken(refreshToken)).toMatchObject({ expiresIn: 3600 });
});

test("a login uses one entry however often it is renewed; a full store refuses with 503, logged once", async () => {
  await using it = await setUp({ maxLogins: 2 });
  const logins = await Promise.all(["a", "b", "c"].map((sub) => it.auth.createTokens({ sub })));
  const [banned, busy, third] = logins as [TokenPair, TokenPair, TokenPair];
  await it.auth.revokeToken(claimsOf(banned.token));
  let { refreshToken } = busy;
  for (let count = 0; count < 50; count++) ({ refreshToken } = await it.auth.refreshToken(refreshToken));
  expect([await it.status(banned.token), await it.status(busy.token)]).toEqual([401, 200]);
  await it.auth.refreshToken(third.refreshToken);
  const fourth = await it.auth.createTokens({ sub: "d" });
  for (let count = 0; count < 5; count++)
    await expect(it.auth.refreshToken(fourth.refreshToken)).rejects.toMatchObject({
      status: 503,
      code: "AUTH_STORE_FULL",
    });
  expect(it.logged).toEqual(["the token store is full and the request was refused"]);
  await it.auth.revokeToken(claimsOf(fourth.token)); // revocations are counted separately
  await it.auth.revokeToken(claimsOf(third.token)); // and a renewed login needs no new entry
  await expect(it.auth.revokeToken("another")).rejects.toMatchObject({ status: 503 });
  expect(await Promise.all([banned, busy, third, fourth].map(({ token }) => it.status(token)))).toEqual([
    401, 200, 401, 401,
  ]);
});

const tenYears = 315_360_000;
const mine = { algorithm: "RS256", secret: undefined, privateKey: jwk(rsa.privateKey) } as const;
const another = jwk(generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey);

test.each<[string, ConfigInput<JwtConfig>, number]>([
  ["with a secret is kept until every own token has expired", {}, 600],
  ["with a private key is kept until every own token has expired", mine, 600],
  [
    "with its own key pair is kept until every own token has expired",
    { ...mine, publicKey: jwk(rsa.publicKey) },
    600,
  ],
  ["of another issuer's tokens is kept for ten years", { ...mine, publicKey: another }, tenYears],
  [
    "of a service that only verifies is kept for ten years",
    { algorithm: "RS256", secret: undefined, publicKey: another },
    tenYears,
  ],
])("a revoked jti %s", async (_name, config, lifetimeSecs) => {
  const expiries: number[] = [];
  const revoke = (_id: string, expiresAt: number): void => void expiries.push(expiresAt);
  const store: TokenStore = { revoke, isRevoked: () => false, consume: () => true };
  await using it = await setUp({ store, expiration: 60, refreshExpiration: 600, leewaySecs: 5, ...config });
  await it.auth.revokeToken("1");
  expect(expiries).toEqual([it.secs() + lifetimeSecs + 5]);
});

test.each([undefined, null, -1, 0.5, "0", 2 ** 40, 2 ** 52, Number.MAX_SAFE_INTEGER])(
  "a refresh token of another issuer with the generation %j is refused",
  async (generation) => {
    await using it = await setUp();
    const { refreshToken } = await it.auth.createTokens({ sub: "ann" });
    const claims = { ...claimsOf(refreshToken), refresh_generation: generation };
    const token = forge({ alg: "HS256", typ: "refresh+jwt" }, claims);
    await expect(it.auth.refreshToken(token)).rejects.toMatchObject(invalidTokenError);
    expect(await it.auth.refreshToken(refreshToken)).toMatchObject({ expiresIn: 3600 });
  },
);

test.each<[string, Partial<TokenStore>, (auth: JwtAuth, pair: TokenPair) => Promise<unknown>]>([
  ["consume", { consume: fail }, (auth, pair) => auth.refreshToken(pair.refreshToken)],
  ["isRevoked", { isRevoked: fail }, (auth, pair) => auth.refreshToken(pair.refreshToken)],
  ["isRevoked", { isRevoked: fail }, (auth) => auth.isRevoked("a")],
  ["revoke", { revoke: fail }, (auth, pair) => auth.revokeToken(claimsOf(pair.token))],
  [
    "revoke after a reuse",
    { revoke: fail, consume: () => false },
    (auth, pair) => auth.refreshToken(pair.refreshToken),
  ],
])("a store whose %s fails is a 503, logged once a minute", async (_name, broken, call) => {
  const store: TokenStore = { revoke: () => {}, isRevoked: () => false, consume: () => true, ...broken };
  await using it = await setUp({ store });
  const pair = await it.auth.createTokens({ sub: "ann" });
  const lines = () =>
    it.logged.filter((line) => line === "the token store failed and the request was refused");
  for (const expected of [1, 1, 2]) {
    await expect(call(it.auth, pair)).rejects.toMatchObject({ status: 503, code: "AUTH_STORE_UNAVAILABLE" });
    expect(lines().length).toBe(expected);
    await it.clock.advance(30_000);
  }
});

test.each<[keyof TokenStore, (auth: JwtAuth, pair: TokenPair) => Promise<unknown>]>([
  ["consume", (auth, pair) => auth.refreshToken(pair.refreshToken)],
  ["isRevoked", (auth) => auth.isRevoked("a")],
  ["revoke", (auth, pair) => auth.revokeToken(claimsOf(pair.token))],
])("a store whose %s never settles is a 503 after 5 s, logged once a minute", async (method, call) => {
  let calls = 0;
  const never = () => new Promise<never>(() => void calls++);
  const working: TokenStore = { revoke: () => {}, isRevoked: () => false, consume: () => true };
  await using it = await setUp({ store: { ...working, [method]: never } });
  const pair = await it.auth.createTokens({ sub: "ann" });
  const unanswered = "the token store did not answer in time and the request was refused";
  for (const [round, expected] of [1, 1, 2].entries()) {
    let outcome: unknown = "none";
    const calling = call(it.auth, pair).catch((error: unknown) => (outcome = error));
    await waitFor(() => calls === round + 1);
    await it.clock.advance(4999);
    expect(outcome).toBe("none");
    await it.clock.advance(2);
    await calling;
    expect(outcome).toMatchObject({ status: 503, code: "AUTH_STORE_UNAVAILABLE" });
    expect(it.logged).toEqual(Array(expected).fill(unanswered));
    await it.clock.advance(30_000);
  }
});

test("while its store hangs, a request with a token gets 503; a late failure of the store has no effect and is logged separately", async () => {
  const rejecters: ((error: Error) => void)[] = [];
  const store: TokenStore = {
    revoke: () => {},
    isRevoked: () => new Promise((_resolve, reject) => void rejecters.push(reject)),
    consume: () => true,
  };
  await using it = await setUp({ store, storeTimeoutMs: 200 });
  const reply = it.send(await it.auth.createToken({ sub: "ann" }));
  await waitFor(() => rejecters.length === 1);
  await it.clock.advance(201);
  const { status, headers } = await reply;
  expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
  rejecters[0]?.(new Error("store unreachable"));
  await waitFor(() => it.logged.length === 2);
  expect(it.logged).toEqual([
    "the token store did not answer in time and the request was refused",
    "the token store failed and the request was refused",
  ]);
});

test("a request is refused if the store returns something other than a boolean", async () => {
  const none = () => undefined as never;
  await using it = await setUp({ store: { revoke: none, isRevoked: none, consume: none } });
  expect(await it.status(await it.auth.createToken({ sub: "ann" }))).toBe(401);
});

test("production warns once that revocations are kept in memory, unless a store keeps them or no tokens are made", async () => {
  const store: TokenStore = { revoke: () => {}, isRevoked: () => false, consume: () => true };
  const verifying = { algorithm: "RS256", secret: undefined, publicKey: jwk(rsa.publicKey) } as const;
  const warned: string[] = [];
  const log = {
    info() {},
    error() {},
    warn: (_message: string, fields?: object) => void warned.push(Object(fields).code),
  };
  for (const env of ["production", "development"] as const)
    for (const config of [{ secret }, { secret, store }, verifying])
      await new App().use(new JwtAuth(config)).use(new JwtAuth(config)).start({ env, log });
  expect(warned).toEqual(["AUTH_REVOCATIONS_IN_MEMORY"]);
});
