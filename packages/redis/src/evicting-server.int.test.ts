import { App } from "@framework/core";
import { JwtAuth } from "@framework/auth";
import { type FragileServer, startRedis } from "@framework/services";
import { waitFor } from "@framework/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openRedis, redis, redisCacheStore, redisTokenStore } from "./index.ts";

const timeouts = { connectionTimeoutSecs: 60, commandTimeoutMs: 30_000 };
let server: FragileServer;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

/** Sets the server's eviction policy, and returns a log with the codes of its warnings. */
const setup = async (maxmemory: string, policy: string) => {
  const open = openRedis({ url: server.url, ...timeouts });
  await open.redis.config("SET", "maxmemory", maxmemory, "maxmemory-policy", policy);
  const codes: unknown[] = [];
  const log = {
    info() {},
    error() {},
    warn: (message: string, fields?: Readonly<Record<string, unknown>>) =>
      void codes.push(fields?.["code"], message),
  };
  return { open, codes, log };
};

test("an app whose revoked tokens are on a server that evicts keys logs one warning with the policy", async () => {
  const { open, codes, log } = await setup("100mb", "volatile-lru");
  await open.close();
  const app = new (App.with(redis))().enableRedis({ url: server.url, shared: true, ...timeouts });
  const auth = new JwtAuth({ secret: "x".repeat(32) });
  app.use(auth);
  await app.start({ log });
  await auth.revokeToken("one");
  await auth.revokeToken("two");
  await waitFor(() => codes.length > 0);
  await app.stop();
  expect(codes).toEqual(["REDIS_EVICTS_KEYS", expect.stringContaining("(maxmemory-policy volatile-lru)")]);
});

test("a token store on a server that evicts keys logs a warning, a cache does not", async () => {
  const { open, codes, log } = await setup("100mb", "allkeys-random");
  await redisCacheStore(open).set(
    "key",
    { kind: "reply", id: "1", body: "text" },
    { holdMs: 10_000, tags: [] },
  );
  expect(codes).toEqual([]);
  await redisTokenStore(open, { log }).consume("family:a", 0, Date.now() / 1000 + 60);
  await waitFor(() => codes.length > 0);
  expect(codes[0]).toBe("REDIS_EVICTS_KEYS");
  await open.close();
});

test.each([
  ["0", "allkeys-lru"],
  ["100mb", "noeviction"],
])("a server with maxmemory %s and %s does not evict, and there is no warning", async (maxmemory, policy) => {
  const { open, codes, log } = await setup(maxmemory, policy);
  await redisTokenStore(open, { log }).revoke("jti:a", Date.now() / 1000 + 60);
  await open.close(); // waits for pending commands
  expect(codes).toEqual([]);
});
