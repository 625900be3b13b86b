import { randomUUID } from "node:crypto";
import { type PermitRule, systemClock } from "@framework/core/feature";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { afterAll, expect, test } from "@jest/globals";
import { type OpenRedis, openRedis, redisPermits, redisTokenStore } from "./index.ts";

const HOUR_MS = 3_600_000;
const lease = { holder: "me", hold: 0, used: [], max: 3, share: 0.5, leaseMs: 1000 };

for (const service of ["redis", "redis-cluster"]) {
  withServer(service, (url) => {
    let opened: OpenRedis | undefined;
    const open = (): OpenRedis =>
      (opened ??= openRedis({
        url,
        clusterMode: service === "redis-cluster",
        commandTimeoutMs: 30_000,
        connectionTimeoutSecs: 60,
      }));
    afterAll(() => opened?.close());

    test("a revoked token stays revoked, and a used one used, when the clock of Redis is ahead of the host's", async () => {
      const clock = { ...systemClock, date: () => Date.now() - 10 * HOUR_MS };
      const name = `tokens-${randomUUID()}`;
      const store = redisTokenStore(open(), { name, clock });
      const inOneMinute = clock.date() / 1000 + 60;
      await store.revoke("jti:a", inOneMinute);
      await store.consume("family:a", 0, inOneMinute);
      const ttls = await Promise.all((await keysOf(open(), name)).map((key) => open().redis.pttl(key)));
      expect(ttls.map((life) => life > 60_000 && life <= 120_000)).toEqual([true, true]);
      expect(await store.isRevoked("jti:a")).toBe(true);
    });

    test("a token whose expiry is too far away for Redis can be revoked and used", async () => {
      const store = redisTokenStore(open(), { name: `tokens-${randomUUID()}` });
      await store.revoke("jti:a", 1e18);
      expect(await store.isRevoked("jti:a")).toBe(true);
      expect(await store.consume("family:a", 0, 1e18)).toBe(true);
    });

    for (const kind of ["bucket", "window"] as const) {
      for (const capacity of [10, 2000]) {
        test(`after the server's clock was ahead, the permits of a ${kind} of ${capacity} are free again after its window, not an hour later`, async () => {
          const rule: PermitRule = { kind, capacity, windowMs: 500 };
          const lasting: PermitRule = { ...rule, windowMs: 600_000 }; // longer than a slow machine needs until the keys are changed
          const name = `permits-${randomUUID()}`;
          const permits = redisPermits(open(), { name });
          await permits.take("k", lasting, { spend: capacity - 4 });
          await permits.take("k", lasting, { spend: 0, lease });
          await moveToFuture(open(), name);
          const { free, waitMs, resetMs } = await permits.take("k", rule, { spend: capacity });
          expect(free).toBeLessThan(capacity);
          expect(waitMs).toBeLessThanOrEqual(2000);
          expect(resetMs).toBeLessThanOrEqual(1000);
          await waitFor(async () => (await permits.take("k", rule, { spend: 0 })).free === capacity);
        });
      }
    }
  });
}

const keysOf = async ({ redis }: OpenRedis, name: string): Promise<readonly string[]> => {
  const nodes = "nodes" in redis ? redis.nodes("master") : [redis];
  return (await Promise.all(nodes.map((node) => node.keys(`${name}*`)))).flat();
};

/** Makes the permits of a name look as if the server's clock had been an hour ahead while they were taken. */
const moveToFuture = async (open: OpenRedis, name: string): Promise<void> => {
  const { redis } = open;
  for (const key of await keysOf(open, name)) {
    await redis.pexpire(key, HOUR_MS);
    if ((await redis.type(key)) === "zset") {
      const hasTimes = key.endsWith(":t");
      for (const member of await redis.zrange(key, "0", "-1")) {
        const score = Number(await redis.zscore(key, member)) + HOUR_MS;
        await redis.zrem(key, member);
        await redis.zadd(key, score, hasTimes ? String(score) : member);
      }
      continue;
    }
    await redis.hincrbyfloat(key, "a", HOUR_MS);
    for (const field of await redis.hkeys(key)) {
      if (!field.startsWith("c:")) continue;
      await redis.hset(key, `c:${Number(field.slice(2)) + HOUR_MS}`, (await redis.hget(key, field)) ?? "");
      await redis.hdel(key, field);
    }
  }
};
