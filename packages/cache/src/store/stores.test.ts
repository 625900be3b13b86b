import { Response } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import { expectContractToCatch, virtualClock } from "@framework/core/testing";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { cachedApp } from "../cached-app.test-kit.ts";
import { type CacheStore, memoryStore, type StoredReply } from "../index.ts";
import { cacheStoreContract } from "../testing.ts";

const createFixture = (make: (clock: Clock) => CacheStore) => {
  const clock = virtualClock();
  const store = make(clock);
  return { views: [store, store] as const, advance: clock.advance };
};

cacheStoreContract(test, () => createFixture((clock) => memoryStore({ clock })));

test("the contract suite catches faulty stores", async () => {
  const broken: Readonly<Record<string, (store: CacheStore) => Partial<CacheStore>>> = {
    "drops nothing": () => ({ drop: () => 0 }),
    "counts entries that it does not remove": (store) => ({
      drop: (tags) => tags.length + Number(store.shared),
    }),
    "ignores replaces": (store) => ({
      set: (key, entry, { holdMs, tags }) => store.set(key, entry, { holdMs, tags }),
    }),
    "never expires": (store) => ({
      set: (key, entry, options) => store.set(key, entry, { ...options, holdMs: 1e9 }),
    }),
    "deletes nothing": () => ({ delete: () => true }),
    "loses the body": (store) => ({ get: (key) => ({ ...(store.get(key) as StoredReply), body: "other" }) }),
  };
  for (const [name, fault] of Object.entries(broken)) {
    const make = () =>
      createFixture((clock) => {
        const store = memoryStore({ clock });
        const bound: CacheStore = {
          shared: false,
          get: (key) => store.get(key),
          set: (key, entry, options) => store.set(key, entry, options),
          delete: (key) => store.delete(key),
          drop: (tags) => store.drop(tags),
        };
        return { ...bound, ...fault(bound) };
      });
    expect([name, await expectContractToCatch(cacheStoreContract, make)]).not.toEqual([name, []]);
  }
});

const entry = (id: string, size: number, tags: readonly string[] = []): StoredReply => ({
  kind: "reply",
  id,
  status: 200,
  fields: [],
  body: "x".repeat(size),
  bodyBytes: size,
  bornMs: 0,
  freshMs: 1,
  staleMs: 0,
  errorMs: 0,
  validates: false,
  shareable: false,
  isImplicit: false,
  hasOwnTag: false,
  tags,
});

test("a memory store matches a naive LRU list with the same bounds", () => {
  const action = fc.record({
    kind: fc.constantFrom("set", "set", "get", "delete", "drop"),
    key: fc.integer({ min: 0, max: 9 }).map(String),
    size: fc.integer({ min: 0, max: 3000 }),
  });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const store = memoryStore({ maxEntries: 5, maxBytes: 8000 });
      let model: { key: string; bytes: number }[] = [];
      const found: boolean[] = [];
      const expected: boolean[] = [];
      for (const [index, { kind, key, size }] of actions.entries()) {
        const present = model.find((held) => held.key === key);
        const others = model.filter((held) => held !== present);
        if (kind === "set") {
          store.set(key, entry(`${index}`, size), { holdMs: 1e6, tags: [`tag-${key}`] });
          model = [...others, { key, bytes: 640 + (32 + 2) + (32 + 10) + (32 + size) }];
          while (model.length > 5 || model.reduce((sum, { bytes }) => sum + bytes, 0) > 8000) model.shift();
        } else {
          const seen = {
            get: () => store.get(key) !== undefined,
            delete: () => store.delete(key),
            drop: () => store.drop([`tag-${key}`]) === 1,
          }[kind]();
          found.push(seen);
          expected.push(present !== undefined);
          model = kind === "get" && present !== undefined ? [...others, present] : others;
        }
        const { entries, bytes } = store.size();
        expect([entries, bytes]).toEqual([model.length, model.reduce((sum, held) => sum + held.bytes, 0)]);
      }
      expect(found).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

test("maxBytes and maxEntries bound the app's store", async () => {
  for (const config of [{ maxEntries: 3 }, { maxBytes: 3 * 1700 }]) {
    const { app, get } = cachedApp(config);
    app.get("/{id}", () => "x".repeat(400));
    for (const id of ["1", "2", "3", "4"]) await get(`/${id}`);
    expect((app.snapshot()["cache"] as { entries: number; evictions: number }).entries).toBe(3);
    expect((await get("/1")).outcome).toBe("MISS");
    expect((await get("/4")).outcome).toBe("HIT");
  }
});

const brokenStore = (call: () => never | Promise<never>): CacheStore => ({
  shared: true,
  get: call,
  set: call,
  delete: call,
  drop: call,
});

test("a failing store is a miss for requests and an error for invalidateCache, logged at most every 10 s", async () => {
  const fail = () => {
    throw new Error("gone");
  };
  for (const call of [fail, async () => fail()]) {
    const { app, clock, get, logged } = cachedApp({ store: brokenStore(call) });
    app.get("/", () => "x");
    app.post("/drop", () => app.invalidateCache(["a"]));
    for (let round = 0; round < 3; round++) expect((await get("/")).text).toBe("x");
    expect(logged).toEqual(["CACHE_STORE_UNAVAILABLE"]);
    await expect(app.invalidateCache(["a"])).rejects.toMatchObject({ code: "CACHE_STORE_UNAVAILABLE" });
    const reply = await app.fetch(new Request("http://localhost/drop", { method: "POST" }));
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([503, "1"]);
    await clock.advance(10 * 1000);
    await get("/");
    expect(logged).toEqual(["CACHE_STORE_UNAVAILABLE", "CACHE_STORE_UNAVAILABLE"]);
  }
});

test("a stuck store times out after storeTimeoutMs", async () => {
  const { app, clock, get } = cachedApp({
    store: brokenStore(() => new Promise<never>(() => {})),
    storeTimeoutMs: 40,
  });
  app.get("/", () => "x");
  let text = "nothing yet";
  void get("/").then((seen) => (text = seen.text));
  await waitFor(() => clock.pending === 1);
  await clock.advance(0.039 * 1000);
  expect(text).toBe("nothing yet");
  await clock.advance(0.001 * 1000);
  expect(text).toBe("x");
});

test("an asynchronous store works like the memory store", async () => {
  const memory = memoryStore();
  const store: CacheStore = {
    shared: true,
    get: async (key) => memory.get(key),
    set: async (key, held, options) => memory.set(key, held, options),
    delete: async (key) => memory.delete(key),
    drop: async (tags) => memory.drop(tags),
  };
  const { app, get, send } = cachedApp({ store });
  app.get(
    "/",
    { cache: { tags: ["a"] } },
    (request) => new Response(request.getHeader("accept") ?? "", { headers: { vary: "accept" } }),
  );
  app.post("/", () => "done");
  await get("/", { accept: "text/css" });
  expect((await get("/", { accept: "text/css" })).outcome).toBe("HIT");
  expect((await get("/", { accept: "text/html" })).text).toBe("text/html");
  expect(await app.invalidateCache(["a"])).toBe(2);
  expect((await get("/", { accept: "text/css" })).outcome).toBe("MISS");
  await send("POST", "/");
  expect((await get("/", { accept: "text/css" })).outcome).toBe("MISS");
});

test("concurrent requests on an asynchronous store make one call, even if the handler is faster than the store", async () => {
  for (const vary of ["", "accept"]) {
    const memory = memoryStore();
    const store: CacheStore = {
      shared: true,
      get: async (key) => memory.get(key),
      set: async (key, held, options) => memory.set(key, held, options),
      delete: async (key) => memory.delete(key),
      drop: async (tags) => memory.drop(tags),
    };
    const { app, get } = cachedApp({ store });
    let calls = 0;
    app.get("/", () => new Response(`call ${++calls}`, { headers: { vary } }));
    const seen = await Promise.all(Array.from({ length: 200 }, () => get("/")));
    expect(new Set(seen.map(({ text }) => text))).toEqual(new Set(["call 1"]));
    expect(calls).toBe(1);
    await app.stop();
  }
});

test("a reply that was invalidated during a read of the store is not shared with the reading request", async () => {
  const memory = memoryStore();
  const reads: (() => void)[] = [];
  const store: CacheStore = {
    shared: true,
    get: (key) => {
      const found = memory.get(key);
      return new Promise((resolve) => reads.push(() => resolve(found)));
    },
    set: async (key, held, options) => memory.set(key, held, options),
    delete: async (key) => memory.delete(key),
    drop: async (tags) => memory.drop(tags),
  };
  const { app, get } = cachedApp({ store });
  const database = { value: "old" };
  app.get("/", { cache: { tags: ["a"] } }, () => database.value);
  const [first, second] = [get("/"), get("/")];
  await waitFor(() => reads.length === 2);
  reads[0]?.();
  expect((await first).text).toBe("old");
  database.value = "new";
  await app.invalidateCache(["a"]);
  reads[1]?.();
  expect((await second).text).toBe("new");
  await app.stop();
});
