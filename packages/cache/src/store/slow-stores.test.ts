import { Response } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { cachedApp, gate } from "../cached-app.test-kit.ts";
import { type CacheStore, memoryStore } from "../index.ts";

test("a call to the store that fails after its timeout counts once", async () => {
  const calls: PromiseWithResolvers<never>[] = [];
  const pendingCall = (): Promise<never> => {
    const call = Promise.withResolvers<never>();
    calls.push(call);
    return call.promise;
  };
  const store: CacheStore = {
    shared: true,
    get: pendingCall,
    set: pendingCall,
    delete: pendingCall,
    drop: pendingCall,
  };
  const { app, clock, get } = cachedApp({ store, storeTimeoutMs: 40 });
  app.get("/", () => new Response("x", { headers: { "cache-control": "no-store" } }));
  const pending = get("/");
  await waitFor(() => clock.pending === 1);
  await clock.advance(40);
  expect((await pending).text).toBe("x");
  for (const { reject } of calls) reject(new Error("gone"));
  await clock.advance(0);
  expect([calls.length, app.snapshot()["cache"]]).toEqual([1, expect.objectContaining({ storeFailures: 1 })]);
});

test("a store of this worker that does not drop is not used until it can be emptied, and invalidateCache rejects", async () => {
  const memory = memoryStore();
  let isBroken = false;
  const store: CacheStore = {
    shared: false,
    get: async (key) => memory.get(key),
    set: async (key, held, options) => memory.set(key, held, options),
    delete: async (key) => memory.delete(key),
    drop: async (tags) => {
      if (isBroken) throw new Error("the disk is full");
      return memory.drop(tags);
    },
  };
  const { app, clock, get, send } = cachedApp({ store });
  const database = { value: "1" };
  app.get("/", { cache: { tags: ["a"] } }, () => database.value);
  app.post("/", () => "written");
  const seen = async (): Promise<string> => {
    const { outcome, text } = await get("/");
    return `${outcome} ${text}`;
  };
  expect([await seen(), await seen()]).toEqual(["MISS 1", "HIT 1"]);
  isBroken = true;
  database.value = "2";
  await expect(app.invalidateCache(["a"])).rejects.toMatchObject({ code: "CACHE_STORE_UNAVAILABLE" });
  expect([await seen(), await seen()]).toEqual(["MISS 2", "MISS 2"]);
  isBroken = false;
  await clock.advance(1000);
  expect([await seen(), await seen()]).toEqual(["MISS 2", "HIT 2"]);
  isBroken = true;
  database.value = "3";
  await send("POST", "/");
  expect(await seen()).toBe("MISS 3");
  await app.stop();
});

test.each([
  [true, 40],
  [false, 40],
  [true, 5000],
  [false, 5000],
])(
  "a reply that the store writes only after an invalidation is not used (shared: %s, timeout: %s ms)",
  async (shared, storeTimeoutMs) => {
    const memory = memoryStore();
    const writing = gate();
    const store: CacheStore = {
      shared,
      get: async (key) => memory.get(key),
      set: async (key, held, options) => {
        await writing.opened;
        return memory.set(key, held, options);
      },
      delete: async (key) => memory.delete(key),
      drop: async (tags) => memory.drop(tags),
    };
    const { app, clock, get } = cachedApp({ store, storeTimeoutMs });
    const database = { value: "old" };
    app.get("/", { cache: { tags: ["a"] } }, () => database.value);
    expect((await get("/")).text).toBe("old");
    database.value = "new";
    const dropping = app.invalidateCache(["a"]);
    await clock.advance(600);
    await dropping;
    writing.open();
    await clock.advance(0);
    expect([(await get("/")).text, (await get("/")).outcome]).toEqual(["new", "HIT"]);
    await app.stop();
  },
);

test("a reply whose computation begins after an invalidation is kept, even if it is written while the invalidation waits", async () => {
  const memory = memoryStore();
  const [first, second] = [gate(), gate()];
  const gates = [first, second];
  const store: CacheStore = {
    shared: true,
    get: async (key) => memory.get(key),
    set: async (key, held, options) => {
      await gates.shift()?.opened;
      return memory.set(key, held, options);
    },
    delete: async (key) => memory.delete(key),
    drop: async (tags) => memory.drop(tags),
  };
  const { app, get } = cachedApp({ store });
  for (const path of ["/a", "/b"]) app.get(path, { cache: { tags: ["a"] } }, () => path);
  await get("/a");
  const dropping = app.invalidateCache(["a"]);
  await new Promise((resolve) => setImmediate(resolve));
  await get("/b");
  first.open();
  await dropping;
  second.open();
  await new Promise((resolve) => setImmediate(resolve));
  expect([(await get("/a")).outcome, (await get("/b")).outcome]).toEqual(["MISS", "HIT"]);
  await app.stop();
});
