import { randomUUID } from "node:crypto";
import { systemClock } from "@framework/core/feature";
import { withServer } from "@framework/services";
import { afterAll, expect, test } from "@jest/globals";
import { type OpenRedis, openRedis, redisTokenStore } from "./index.ts";

const HOUR_MS = 3_600_000;

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
      const lives = await Promise.all((await keysOf(open(), name)).map((key) => open().redis.pttl(key)));
      expect(lives.map((life) => life > 60_000 && life <= 120_000)).toEqual([true, true]);
      expect(await store.isRevoked("jti:a")).toBe(true);
    });
  });
}

const keysOf = async ({ redis }: OpenRedis, name: string): Promise<readonly string[]> => {
  const nodes = "nodes" in redis ? redis.nodes("master") : [redis];
  return (await Promise.all(nodes.map((node) => node.keys(`${name}*`)))).flat();
};
