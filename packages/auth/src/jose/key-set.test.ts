import { generateKeyPairSync } from "node:crypto";
import { App } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import { virtualClock } from "@framework/core/testing";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { JwtAuth, type JwtConfig } from "../index.ts";
import { ec, ed, forge, jwk, nowSecs, validClaims, rsa, signedBy } from "../jwt/forge.test-kit.ts";

const second = generateKeyPairSync("rsa", { modulusLength: 2048 });
const short = generateKeyPairSync("rsa", { modulusLength: 1024 });
const keyOf = (pair: { publicKey: Parameters<typeof jwk>[0] }, members: object) => ({
  ...jwk(pair.publicKey),
  ...members,
});
const tokenOf = (kid: string | undefined, pair = rsa) =>
  forge({ alg: "RS256", kid }, { ...validClaims, exp: nowSecs + 3600 }, signedBy(pair.privateKey));

/** Creates a service that publishes keys, an app that trusts it, and a clock. */
const setUp = (initial: unknown, config: ConfigInput<JwtConfig> = {}) => {
  const state = { keys: initial, fetches: 0, warnings: 0, urls: new Set<string>() };
  const clock = virtualClock({ start: nowSecs * 1000 });
  const fetch = async (url: unknown): Promise<Response> => {
    state.fetches++;
    state.urls.add(String(url));
    if (state.keys instanceof Error) throw state.keys;
    if (state.keys instanceof Promise) await state.keys;
    return state.keys instanceof Response ? state.keys : Response.json({ keys: state.keys });
  };
  const auth = new JwtAuth(
    { algorithm: "RS256", jwksUrl: "https://id.example/keys", ...config },
    { clock, fetch: fetch as typeof globalThis.fetch },
  );
  const app = new App().use(auth);
  app.get("/", () => "in");
  const log = { info() {}, error() {}, warn: () => void state.warnings++ };
  const client = testClient(app, { log });
  const send = async (token: string) =>
    (await client.get("/", { headers: { authorization: `Bearer ${token}` } })).status;
  return { state, clock, send, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
};

const one = keyOf(rsa, { kid: "one", use: "sig", alg: "RS256" });
const two = keyOf(second, { kid: "two" });

test("tokens are verified with the key they name, fetched once at start", async () => {
  await using it = setUp([one, two, keyOf(ec, { kid: "ec" })]);
  expect(await it.send(tokenOf("one"))).toBe(200);
  expect(await it.send(tokenOf("two", second))).toBe(200);
  expect(await it.send(tokenOf("one", second))).toBe(401);
  expect([it.state.fetches, [...it.state.urls]]).toEqual([1, ["https://id.example/keys"]]);
});

test("400 unknown key ids cost one fetch per cool-down", async () => {
  await using it = setUp([one]);
  expect(await it.send(tokenOf("one"))).toBe(200);
  await it.clock.advance(30_000);
  const [, payload, signature] = tokenOf("x").split(".");
  const statuses = new Set<number>();
  for (let batch = 0; batch < 4; batch++) {
    const tokens = Array.from({ length: 100 }, (_, at) => {
      const header = Buffer.from(JSON.stringify({ alg: "RS256", kid: `${batch}-${at}` })).toString(
        "base64url",
      );
      return it.send(`${header}.${payload}.${signature}`);
    });
    for (const status of await Promise.all(tokens)) statuses.add(status);
  }
  expect([[...statuses], it.state.fetches]).toEqual([[401], 2]);
});

test("the cool-down between two fetches is configurable", async () => {
  await using it = setUp([one], { jwksCooldownSecs: 5 });
  expect(await it.send(tokenOf("one"))).toBe(200);
  it.state.keys = [one, two];
  await it.clock.advance(4000);
  expect(await it.send(tokenOf("two", second))).toBe(401);
  await it.clock.advance(1000);
  expect(await it.send(tokenOf("two", second))).toBe(200);
});

test("a new key is fetched when a token names it; a removed key is refused after the next fetch", async () => {
  await using it = setUp([one]);
  expect(await it.send(tokenOf("two", second))).toBe(401);
  it.state.keys = [two];
  expect(await it.send(tokenOf("two", second))).toBe(401); // the cool-down
  await it.clock.advance(30_000);
  expect(await it.send(tokenOf("two", second))).toBe(200);
  expect(await it.send(tokenOf("one"))).toBe(401);
});

test("while the service hangs, tokens with a known key are accepted immediately, even from a stale set, with one fetch in flight", async () => {
  await using it = setUp([one]);
  expect(await it.send(tokenOf("one"))).toBe(200);
  const { promise: hanging, resolve: finishFetch } = Promise.withResolvers<void>();
  it.state.keys = hanging;
  await it.clock.advance(600_000);
  for (let count = 0; count < 5; count++) {
    expect(await it.send(tokenOf("one"))).toBe(200);
    await it.clock.advance(400_000);
  }
  const unknown = it.send(tokenOf("two", second)); // waits for the fetch
  expect(await it.send(tokenOf("one"))).toBe(200);
  expect(it.state.fetches).toBe(2);
  it.state.keys = [two];
  finishFetch();
  expect(await unknown).toBe(200);
});

test.each<[string, unknown]>([
  ["an empty set", []],
  ["a set without a usable key", [keyOf(ec, { kid: "one" }), null, "x"]],
])("%s does not replace a usable set", async (_name, keys) => {
  await using it = setUp([one]);
  expect(await it.send(tokenOf("one"))).toBe(200);
  it.state.keys = keys;
  await it.clock.advance(600_000);
  for (let count = 0; count < 3; count++) expect(await it.send(tokenOf("one"))).toBe(200);
  expect(await it.send(tokenOf("two", second))).toBe(401);
  expect([it.state.fetches, it.state.warnings]).toEqual([2, 1]);
});

test("a stale set is fetched again once, in the background", async () => {
  await using it = setUp([one, two], { cachedTokens: 10 });
  expect(await it.send(tokenOf("one"))).toBe(200);
  it.state.keys = [two];
  await it.clock.advance(599_999);
  expect(await it.send(tokenOf("one"))).toBe(200);
  await it.clock.advance(1);
  expect(await it.send(tokenOf("two", second))).toBe(200);
  expect(await it.send(tokenOf("one"))).toBe(401); // cached, but with keys that were removed
  expect(it.state.fetches).toBe(2);
});

test("cached tokens also refresh a stale set", async () => {
  await using it = setUp([one, two], { cachedTokens: 10 });
  expect(await it.send(tokenOf("one"))).toBe(200);
  it.state.keys = [two];
  await it.clock.advance(600_000);
  expect(await it.send(tokenOf("one"))).toBe(200);
  expect(await it.send(tokenOf("one"))).toBe(401);
});

test("the last valid set survives an outage, with one fetch per cool-down", async () => {
  await using it = setUp([one]);
  expect(await it.send(tokenOf("one"))).toBe(200);
  it.state.keys = new Error("away");
  await it.clock.advance(600_000);
  for (let count = 0; count < 5; count++) expect(await it.send(tokenOf("one"))).toBe(200);
  expect([it.state.fetches, it.state.warnings]).toEqual([2, 1]);
});

test("requests get 503 until the first set is loaded", async () => {
  await using it = setUp(new Error("away"));
  expect(await it.send(tokenOf("one"))).toBe(503);
  it.state.keys = [one];
  expect(await it.send(tokenOf("one"))).toBe(503);
  await it.clock.advance(30_000);
  expect(await it.send(tokenOf("one"))).toBe(200);
});

test("a token without a key id is verified only if the set has one key for its algorithm", async () => {
  await using single = setUp([one, keyOf(ec, {}), keyOf(ed, {})]);
  expect(await single.send(tokenOf(undefined))).toBe(200);
  await using several = setUp([one, two]);
  expect(await several.send(tokenOf(undefined))).toBe(401);
});

const manyKeys = Array.from({ length: 101 }, (_, at) => ({ ...one, kid: String(at) }));

test.each<[string, () => unknown]>([
  ["401 from the service", () => Response.json({ keys: [one] }, { status: 401 })],
  ["no JSON", () => new Response("<html>")],
  ["no list", () => Response.json({ keys: { one } })],
  ["null", () => Response.json(null)],
  ["more than 100 keys", () => [one, ...manyKeys]],
  ["more than 256 KiB", () => Response.json({ keys: [one], pad: "x".repeat(300_000) })],
])("an invalid set is refused: %s", async (_name, keys) => {
  await using it = setUp(keys());
  expect([await it.send(tokenOf("one")), it.state.warnings]).toEqual([503, 1]);
});

test.each<[string, object]>([
  ["for encryption", { ...one, use: "enc" }],
  ["for another algorithm", { ...one, alg: "RS512" }],
  ["for signing only", { ...one, key_ops: ["sign"] }],
  ["of too few bits", keyOf(short, { kid: "one" })],
  ["of another type", keyOf(ec, { kid: "one" })],
  ["that is symmetric", { kty: "oct", kid: "one", k: "c2VjcmV0" }],
  ["without key material", { kid: "one" }],
])("a key %s verifies nothing", async (_name, key) => {
  await using it = setUp([key, null, "x", two]);
  expect([await it.send(tokenOf("one")), await it.send(tokenOf("two", second))]).toEqual([401, 200]);
});
