import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { CacheStore } from "@framework/cache";
import { cacheStoreContract } from "@framework/cache/testing";
import type { SharedState } from "@framework/core/feature";
import { type RegisterTest, sharedStateContract } from "@framework/core/testing";
import { tokenStoreContract } from "@framework/auth/testing";
import { withServer } from "@framework/services";
import { afterAll, expect, test } from "@jest/globals";
import {
  type OpenRedis,
  openRedis,
  redisCacheStore,
  redisPermits,
  type RedisSource,
  redisTokenStore,
  redisTotals,
  redisValues,
} from "./index.ts";

/** Milliseconds that the current fact has waited deliberately. */
const waited: AsyncLocalStorage<{ ms: number }> = new AsyncLocalStorage();
/** Waits in real time, 3 ms longer: the server's clock has whole milliseconds. */
const advance = async (ms: number): Promise<void> => {
  const own = waited.getStore();
  if (own !== undefined) own.ms += ms + 3;
  await delay(ms + 3);
};
const log = { error: () => {}, warn: () => {} }; // one fact has failing subscribers
/** A busy machine may take seconds for a command. */
const COMMAND_TIMEOUT_MS = 30_000;
/** Facts that wait for seconds, and do not depend on short times. */
const long =
  /totals do not expire|after waitMs one permit is free|two expiries|consumed generation is kept|revocation holds/;
/** A failed fact is repeated if it took this many milliseconds longer than its waits: the server's clock has advanced meanwhile. */
const TOLERANCE_MS = 40;
const ATTEMPTS = 30;
/** Runs a fact with short times; repeats it while it fails because the machine is busy. */
const inTime = (run: () => Promise<void>) => async (): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    const from = performance.now();
    const own = { ms: 0 };
    try {
      return await waited.run(own, run);
    } catch (error) {
      if (performance.now() - from - own.ms < TOLERANCE_MS || attempt === ATTEMPTS) throw error;
    }
  }
};
/** Long facts run concurrently, facts with short times one after the other. */
const register: RegisterTest = (name, run) =>
  (long.test(name) ? test.concurrent : test)(name, long.test(name) ? run : inTime(run));
/** Returns a unique key prefix for each fact. */
const uniquePrefix = (): string => `test-${randomUUID()}`;

/** Creates the three ports of the shared state under one name, with `close`. */
const stateOf = (source: RedisSource, name: string): SharedState & { close(): Promise<void> } => {
  const values = redisValues(source, { name, connectionTimeoutMs: 60_000, log }); // for busy machines
  return {
    values,
    permits: redisPermits(source, { name }),
    totals: redisTotals(source, { name }),
    close: () => values.close(),
  };
};

/** Runs the contract suites of all adapters, and adapter-specific tests, against one kind of server. */
export const testContracts = (service: "redis" | "redis-cluster"): void =>
  withServer(service, (url) => {
    const config = {
      url,
      clusterMode: service === "redis-cluster",
      commandTimeoutMs: COMMAND_TIMEOUT_MS,
      connectionTimeoutSecs: COMMAND_TIMEOUT_MS / 1000,
    };
    let opening: Promise<readonly [OpenRedis, OpenRedis]> | undefined;
    /** Two clients, opened by the first fact, because concurrent facts begin before `beforeAll`. They connect first, so a fact's time excludes connecting. */
    const clients = (): Promise<readonly [OpenRedis, OpenRedis]> =>
      (opening ??= (async () => {
        const pair = [openRedis(config), openRedis(config)] as const;
        await Promise.all(pair.map(({ redis }) => redis.ping()));
        return pair;
      })());
    afterAll(async () => {
      await Promise.all(((await opening) ?? []).map((each) => each.close()));
    });

    sharedStateContract(register, async () => {
      const name = uniquePrefix();
      const [one, other] = await clients();
      const views = [stateOf(one, name), stateOf(other, name)] as const;
      return {
        views,
        advance,
        close: async () => void (await Promise.all(views.map((view) => view.close()))),
      };
    });

    cacheStoreContract(register, async () => {
      const name = uniquePrefix();
      const [one, other] = await clients();
      const views: readonly [CacheStore, CacheStore] = [
        redisCacheStore(one, { name }),
        redisCacheStore(other, { name }),
      ];
      return { views, advance };
    });

    tokenStoreContract(register, async () => {
      const name = uniquePrefix();
      const [one, other] = await clients();
      const views = [redisTokenStore(one, { name }), redisTokenStore(other, { name })] as const;
      return { views, advance, now: Date.now };
    });

    test("every key of the adapters expires", async () => {
      const [name, mine] = [uniquePrefix(), `mine-${randomUUID()}:`];
      const open = openRedis({ ...config, keyPrefix: mine });
      const { close, values, permits, totals } = stateOf(open, name);
      await values.add("counter", 1, { ttlMs: 10_000 });
      await values.set("value", 1, { ttlMs: 10_000 });
      await values.raise("mark", 1, { ttlMs: 10_000, group: "g", maxKeys: 1 });
      await totals.add("totals", [["n", [1]]]);
      await values.publish("news", 1);
      const lease = { holder: "me", hold: 0, used: [], max: 5, share: 0.5, leaseMs: 4000 };
      for (const kind of ["bucket", "window"] as const) {
        await permits.take(kind, { kind, capacity: 10, windowMs: 10_000 }, { spend: 1, lease });
      }
      await redisTokenStore(open, { name }).revoke("id", Date.now() / 1000 + 60);
      await redisTokenStore(open, { name }).consume("other", 0, 0);
      const cache = redisCacheStore(open, { name });
      await cache.set("key", { kind: "reply", id: "1", body: "text" }, { holdMs: 10_000, tags: ["a", "b"] });
      await cache.drop(["a"]);
      const nodes = "nodes" in open.redis ? open.redis.nodes("master") : [open.redis];
      let seen = 0;
      for (const node of nodes) {
        for await (const keys of node.scanStream({ match: `${mine}*`, count: 1000 })) {
          for (const key of keys as string[]) {
            seen++;
            const remainingMs = await open.redis.pttl(key.slice(mine.length));
            expect([key, remainingMs > 0]).toEqual([key, true]);
          }
        }
      }
      expect(seen).toBeGreaterThan(10);
      await close();
      await open.close();
    });

    test("scripts are sent in full after the server has lost them", async () => {
      const [one] = await clients();
      const permits = redisPermits(one, { name: uniquePrefix() });
      const rule = { kind: "bucket", capacity: 10, windowMs: 60_000 } as const;
      await permits.take("k", rule, { spend: 1 });
      const nodes = "nodes" in one.redis ? one.redis.nodes("master") : [one.redis];
      for (const node of nodes) await node.script("FLUSH");
      expect((await permits.take("k", rule, { spend: 1 })).free).toBe(8);
    });

    test("a reply whose tag index was evicted is not served, because it could not be dropped", async () => {
      const name = uniquePrefix();
      const [one] = await clients();
      const store = redisCacheStore(one, { name });
      await store.set("key", { kind: "reply", id: "1", body: "text" }, { holdMs: 10_000, tags: ["a"] });
      const nodes = "nodes" in one.redis ? one.redis.nodes("master") : [one.redis];
      let removed = 0;
      for (const node of nodes) {
        for await (const keys of node.scanStream({ match: `${name}*:t:*`, count: 1000 })) {
          for (const key of keys as string[]) removed += await one.redis.del(key);
        }
      }
      expect(removed).toBe(1);
      expect(await store.get("key")).toBeUndefined();
      expect(await store.delete("key")).toBe(false);
    });

    test("a thousand replies with one tag are dropped in batches and counted", async () => {
      const [one] = await clients();
      const store = redisCacheStore(one, { name: uniquePrefix() });
      const set = (index: number, tag: string): Promise<boolean> =>
        store.set(
          `key-${index}`,
          { kind: "reply", id: tag, body: null },
          { holdMs: 10_000, tags: [tag, "all"] },
        );
      await Promise.all(Array.from({ length: 1200 }, (_, index) => set(index, "old")));
      const dropping = store.drop(["old"]);
      await Promise.all(Array.from({ length: 100 }, (_, index) => set(index, "new")));
      const dropped = await dropping; // the 100 new replies may already have replaced old ones
      expect(dropped).toBeLessThanOrEqual(1200);
      expect(dropped).toBeGreaterThanOrEqual(1100);
      const kept = await Promise.all(Array.from({ length: 1200 }, (_, index) => store.get(`key-${index}`)));
      for (const entry of kept) expect(entry?.id).not.toBe("old");
      expect(await store.drop(["all"])).toBe(kept.filter((entry) => entry !== undefined).length);
    });
  });
