import { App } from "@framework/core";
import type { ConfigInput, Host, Metric } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { cachedApp } from "./cached-app.test-kit.ts";
import { caching, CachingConfig, memoryStore } from "./index.ts";

test("start reports all mistakes in the configuration", async () => {
  const bad = {
    ttl: -1,
    clientTtlSecs: -1,
    methods: ["GET", "POST"],
    excludePaths: ["admin"],
    staleSecs: 0.5,
    maxEntryBytes: "1",
    maxEntries: 0,
    maxBytes: 1,
    waitSecs: -1,
    store: {},
    storeTimeoutMs: 0,
    name: "two words",
    clock: { now: 1 },
  };
  expect(Object.keys(bad)).toEqual(Object.keys(CachingConfig.of()));
  const app = new (App.with(caching))().enableCaching(bad as never);
  const starting = app.start();
  for (const field of Object.keys(bad))
    await expect(starting).rejects.toThrow(`CachingConfig.${field} must be`);
});

test("options of the memory store and of a custom store cannot be combined", async () => {
  const start = (config: ConfigInput<CachingConfig>) =>
    new (App.with(caching))().enableCaching(config).start();
  await expect(start({ store: memoryStore(), maxEntries: 10, maxBytes: 2048 })).rejects.toThrow(
    /maxEntries has no effect[^]*maxBytes has no effect/,
  );
  await expect(start({ storeTimeoutMs: 10 })).rejects.toThrow("storeTimeoutMs has no effect without store");
  await start({ store: memoryStore(), storeTimeoutMs: 10 });
});

test("a memory store without a valid bound is rejected", () => {
  const badConfig = expect.objectContaining({ code: "CORE_BAD_CONFIG" });
  for (const options of [
    { maxEntries: Number.NaN },
    { maxEntries: 0 },
    { maxBytes: Number.NaN },
    { maxBytes: -1 },
  ])
    expect(() => memoryStore(options)).toThrow(badConfig);
});

test("a list of methods without GET or QUERY, or with HEAD but not GET, is rejected", () => {
  const problems = (methods: readonly string[]) =>
    CachingConfig.read({ methods: methods as never }).problems.length;
  expect([[], ["HEAD"], ["QUERY", "HEAD"], ["get"]].map(problems)).toEqual([1, 1, 1, 1]);
  expect([["GET"], ["QUERY"], ["GET", "HEAD"], ["HEAD", "GET", "QUERY"]].map(problems)).toEqual([0, 0, 0, 0]);
});

test("a route's cache option is checked at start", async () => {
  for (const [option, message] of [
    [true, "must be false or an object"],
    [{ tll: 1 }, 'unknown field "tll"'],
    [{ ttl: -1 }, "ttl must be"],
    [{ ttl: "1" }, "ttl must be"],
    [{ ttl: null }, "ttl must be"],
    [
      { tll: 1, clientTtlSecs: -1, staleSecs: "x", key: 5, tags: ["{isbn}", "{title}"] },
      /unknown field "tll".*staleSecs must.*clientTtlSecs must.*key must.*\{isbn\}.*\{title\}/s,
    ],
    [
      { tll: 1, shard: true },
      'unknown fields "tll" (did you mean "ttl"?), "shard" (did you mean "shared"?); known fields: ',
    ],
    [{ staleSecs: Infinity }, "staleSecs must be"],
    [{ shared: "yes" }, "shared must be"],
    [{ key: "x" }, "key must be"],
    [{ vary: ["a b"] }, "vary must be"],
    [{ vary: ["accept", "*"] }, 'vary has "*", and such replies are never stored: write cache: false'],
    [{ tags: "a" }, "tags must be"],
    [{ tags: [""] }, "tags must be"],
    [{ tags: ["book:{isbn}"] }, "tags use {isbn}, which is not a parameter of the path"],
  ] as const) {
    const app = new (App.with(caching))().enableCaching();
    app.get("/books/{id}/{*rest}", { cache: option as never }, () => "x");
    await expect(app.start()).rejects.toThrow(message);
  }
  const app = new (App.with(caching))().enableCaching();
  app.get(
    "/books/{id}/{*rest}",
    { cache: { tags: ["{id}", "{rest}"], vary: ["Accept"], key: () => "", ttl: 0.5 } },
    () => "x",
  );
  await app.start();
  await app.stop();
});

test("ttl sets the freshness in seconds, and a route's ttl overrides the app's", async () => {
  const { app, clock, get } = cachedApp({ ttl: 7 });
  app.get("/app", () => "x");
  app.get("/route", { cache: { ttl: 3 } }, () => "x");
  await Promise.all([get("/app"), get("/route")]);
  await clock.advance(2.9 * 1000);
  expect([(await get("/app")).outcome, (await get("/route")).outcome]).toEqual(["HIT", "HIT"]);
  await clock.advance(0.1 * 1000);
  expect([(await get("/app")).outcome, (await get("/route")).outcome]).toEqual(["HIT", "MISS"]);
  await clock.advance(4 * 1000);
  expect((await get("/app")).outcome).toBe("MISS");
});

test("publishes consistent metrics", async () => {
  let metrics: readonly Metric[] = [];
  const observer = {
    name: "observer",
    install: (host: Host) => {
      host.life.onStart(() => void (metrics = host.insight.metrics()));
      return {};
    },
  };
  const app = new (App.with(caching, observer))().enableCaching({ maxEntries: 1 });
  app.get("/{id}", () => "body");
  const get = (path: string, headers = {}) => app.fetch(new Request(`http://localhost${path}`, { headers }));
  for (const path of ["/a", "/a", "/a", "/b"]) await get(path);
  await get("/a", { authorization: "x" });
  const read = Object.fromEntries(metrics.map(({ name, read: value }) => [name, value()]));
  expect(read).toMatchObject({
    cache_hits_total: 2,
    cache_misses_total: 2,
    cache_bypass_total: 1,
    cache_stale_total: 0,
    cache_revalidated_total: 0,
    cache_store_failures_total: 0,
    cache_evictions_total: 1,
    cache_entries: 1,
  });
  expect(read["cache_stored_bytes"]).toBeGreaterThan(4);
  expect(app.snapshot()["cache"]).toMatchObject({ HIT: 2, MISS: 2, BYPASS: 1, entries: 1 });
});

test("the record that CachingConfig.of returns, which has every field, configures the feature", async () => {
  for (const config of [CachingConfig.of(), CachingConfig.of({ maxEntries: 5 })]) {
    const app = new (App.with(caching))().enableCaching(config);
    await expect(app.start({ log: { info() {}, warn() {}, error() {} } })).resolves.toBeDefined();
    await app.stop();
  }
});
