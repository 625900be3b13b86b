// Above 250 lines: every way to drop a stored reply, and its races with requests.
import { App, HttpError, Response } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { cachedApp, gate } from "../cached-app.test-kit.ts";
import { Invalidations } from "./invalidations.ts";
import { type CacheStore, cacheTags, caching, memoryStore } from "../index.ts";

test("drops replies with a tag from any source and returns their number", async () => {
  const { app, get } = cachedApp();
  app.get("/books/{id}", { cache: { tags: ["books", "book:{id}"] } }, () => "book");
  app.get("/called", () => cacheTags(new Response("x"), "books", "called"));
  app.get("/field", () => new Response("x", { headers: { "x-cache-tags": "books , field" } }));
  app.get("/other", () => "x");
  const paths = ["/books/7", "/books/8", "/books/8?page=2", "/called", "/field", "/other"];
  const areStored = async () => {
    const outcomes = await Promise.all(paths.map((path) => get(path, { "cache-control": "only-if-cached" })));
    return outcomes.map(({ status }) => status === 200);
  };
  const fill = () => Promise.all(paths.map((path) => get(path)));
  await fill();
  expect(await app.invalidateCache(["book:8"])).toBe(2);
  expect(await areStored()).toEqual([true, false, false, true, true, true]);
  await fill();
  expect(await app.invalidateCache(["books", "field", "book:7", "nothing"])).toBe(5);
  expect(await areStored()).toEqual([false, false, false, false, false, true]);
  expect(await app.invalidateCache(["books"])).toBe(0);
  expect(await app.invalidateCache([])).toBe(0);
});

test("a drop removes and counts every variant of a reply, without counting the record of variants", async () => {
  const { app, get } = cachedApp();
  app.get("/", () => cacheTags(new Response("x", { headers: { vary: "accept-language" } }), "a"));
  for (const language of ["de", "en", "fr"]) await get("/", { "accept-language": language });
  expect(await app.invalidateCache(["a"])).toBe(3);
  expect((await get("/", { "accept-language": "de" })).outcome).toBe("MISS");
});

test("a tag can contain any path parameter, including names of Object.prototype", async () => {
  const { app, get } = cachedApp();
  app.get("/x/{id}", { cache: { tags: ["x:{id}", "{id}"] } }, () => "x");
  for (const id of ["a, b", "__proto__", "constructor", " ", "t:x", "é\u{1F600}"]) {
    await get(`/x/${encodeURIComponent(id)}`);
    expect(await app.invalidateCache([id])).toBe(1);
  }
});

test("tags and paths are separate namespaces", async () => {
  const { app, get, send } = cachedApp();
  app.get("/a", () => "x");
  app.get("/b", () => cacheTags(new Response("x"), "/a", "p:/a"));
  app.post("/a", () => "done");
  await Promise.all([get("/a"), get("/b")]);
  expect(await app.invalidateCache(["p:/b", "/b"])).toBe(0);
  await send("POST", "/a");
  expect((await get("/b")).outcome).toBe("HIT");
});

test("a reply computed before an invalidation is neither stored after it nor shared with waiting requests", async () => {
  const { app, get } = cachedApp();
  const handlerGate = gate();
  const database = { value: "old" };
  let calls = 0;
  app.get("/", { cache: { tags: ["a"] } }, async () => {
    const { value } = database;
    if (++calls === 1) await handlerGate.opened;
    return value;
  });
  const before = get("/");
  await waitFor(() => calls === 1);
  const waiting = get("/");
  database.value = "new";
  expect(await app.invalidateCache(["a"])).toBe(0);
  const after = [get("/"), get("/")];
  handlerGate.open();
  const first = await before;
  expect([first.text, first.headers.get("cache-status"), first.headers.get("cache-control")]).toEqual([
    "old",
    "framework; fwd=uri-miss",
    null,
  ]);
  expect((await Promise.all(after)).map(({ text }) => text)).toEqual(["new", "new"]);
  expect((await waiting).text).toBe("new");
  expect((await get("/")).text).toBe("new");
  expect(calls).toBe(2);
});

test("a 304 does not restore an invalidated reply", async () => {
  const { app, get, clock } = cachedApp({ ttl: 10 });
  const handlerGate = gate();
  let conditional = 0;
  app.get("/", { cache: { tags: ["a"] } }, async (request) => {
    if (request.getHeader("if-none-match") === null) return new Response("new", { headers: { etag: '"2"' } });
    conditional++;
    await handlerGate.opened;
    return new Response(null, { status: 304 });
  });
  await get("/");
  await clock.advance(10 * 1000);
  const confirming = get("/");
  await waitFor(() => conditional === 1);
  await app.invalidateCache(["a"]);
  handlerGate.open();
  await confirming;
  expect((await get("/")).outcome).toBe("MISS");
});

test("a background refresh is not stored if an invalidation happens during it", async () => {
  const { app, get, clock } = cachedApp({ ttl: 10, staleSecs: 100 });
  const handlerGate = gate();
  let calls = 0;
  app.get("/", { cache: { tags: ["a"] } }, async () => {
    if (++calls === 2) await handlerGate.opened;
    return `${calls}`;
  });
  await get("/");
  await clock.advance(10 * 1000);
  expect((await get("/")).outcome).toBe("STALE");
  await waitFor(() => calls === 2);
  await app.invalidateCache(["a"]);
  handlerGate.open();
  expect((await get("/")).text).toBe("3");
});

test("a successful unsafe request drops every reply of its path before the reply is sent", async () => {
  for (const [method, status, drops] of [
    ["POST", 201, true],
    ["PUT", 200, true],
    ["PATCH", 204, true],
    ["DELETE", 303, true],
    ["POST", 400, false],
    ["POST", 404, false],
    ["POST", 500, false],
    ["OPTIONS", 200, false],
    ["QUERY", 200, false],
  ] as const) {
    const { app, get, send } = cachedApp();
    app.get(
      "/{id}",
      (request) => new Response("x", { headers: { vary: request.query.has("v") ? "accept" : "" } }),
    );
    app.route("/{id}", { methods: [method] }, () => {
      if (status >= 400) throw new HttpError(status, "no");
      return new Response(null, { status });
    });
    await Promise.all([get("/a"), get("/a?x=1"), get("/a?v=1", { accept: "text/css" }), get("/b")]);
    await send(method, "/a");
    const outcomes = await Promise.all([
      get("/a"),
      get("/a?x=1"),
      get("/a?v=1", { accept: "text/css" }),
      get("/b"),
    ]);
    const expected = drops ? "MISS" : "HIT";
    expect([method, status, ...outcomes.map(({ outcome }) => outcome)]).toEqual([
      method,
      status,
      expected,
      expected,
      expected,
      "HIT",
    ]);
  }
});

test("a write that ends after its time limit drops the replies of its path and its Location when it ends", async () => {
  const { app, get, send } = cachedApp();
  const handlerGate = gate();
  let version = 1;
  app.get("/{id}", () => `v${version}`);
  app.put("/{id}", { timeoutSecs: 0.02 }, async () => {
    await handlerGate.opened;
    version = 2;
    return new Response("done", { headers: { location: "/b" } });
  });
  await Promise.all([get("/a"), get("/b"), get("/c")]);
  expect((await send("PUT", "/a")).status).toBe(504);
  expect((await get("/a")).outcome).toBe("HIT");
  handlerGate.open();
  await waitFor(async () => (await get("/a")).text === "v2");
  const [b, c] = [await get("/b"), await get("/c")];
  expect([b.text, c.text, c.outcome]).toEqual(["v2", "v1", "HIT"]);
});

test("a write that fails after its time limit drops nothing", async () => {
  const { app, get, send } = cachedApp();
  const handlerGate = gate();
  const ended = gate();
  app.get("/a", () => "v1");
  app.put("/a", { timeoutSecs: 0.02 }, async () => {
    await handlerGate.opened;
    setImmediate(ended.open);
    throw new HttpError(409, "no");
  });
  await get("/a");
  expect((await send("PUT", "/a")).status).toBe(504);
  handlerGate.open();
  await ended.opened;
  expect((await get("/a")).outcome).toBe("HIT");
});

test("invalid tags are rejected", async () => {
  const { app, get } = cachedApp();
  app.get("/", () => "x");
  await get("/");
  for (const bad of [[""], ["x".repeat(1025)], [7], "books", ["\ud800"]]) {
    await expect(app.invalidateCache(bad as string[])).rejects.toMatchObject({ code: "CACHE_BAD_TAG" });
  }
});

test("a reply with an invalid tag is not stored, which is logged once per route", async () => {
  const { app, get, logged } = cachedApp();
  app.get("/long", () => cacheTags(new Response("x"), "x".repeat(1025)));
  app.get("/many", () =>
    cacheTags(new Response("x"), ...Array.from({ length: 101 }, (_, index) => `${index}`)),
  );
  app.get("/limit", () =>
    cacheTags(new Response("x"), ...Array.from({ length: 100 }, (_, index) => `${index}`)),
  );
  for (const [path, outcome] of [
    ["/long", "MISS"],
    ["/many", "MISS"],
    ["/limit", "HIT"],
  ] as const) {
    await get(path);
    expect((await get(path)).outcome).toBe(outcome);
  }
  expect(logged).toEqual(["CACHE_BAD_TAG", "CACHE_BAD_TAG"]);
});

test("100 tags of 1,000 bytes are dropped in one call", async () => {
  const { app, get } = cachedApp();
  app.get("/{id}", { cache: { tags: ["{id}"] } }, () => "x");
  const ids = Array.from({ length: 100 }, (_, index) => `${index}-${"ö".repeat(500)}`);
  for (const id of ids) await get(`/${encodeURIComponent(id)}`);
  expect(await app.invalidateCache(ids)).toBe(100);
});

test("invalidateCache before enableCaching or start throws an error that names the missing call", async () => {
  await expect(new (App.with(caching))().invalidateCache(["a"])).rejects.toMatchObject({
    code: "CACHE_NOT_ENABLED",
  });
  await expect(new (App.with(caching))().enableCaching().invalidateCache(["a"])).rejects.toMatchObject({
    code: "CACHE_NOT_STARTED",
  });
});

test("work that began before the oldest remembered drop counts as invalidated", () => {
  const drops = new Invalidations({ maxTags: 2 });
  const begin = drops.sequence;
  drops.note(["a"]);
  const between = drops.sequence;
  expect([
    drops.droppedSince(begin, ["a"]),
    drops.droppedSince(begin, ["b"]),
    drops.droppedSince(between, ["a"]),
  ]).toEqual([true, false, false]);
  drops.note(["b", "c"]);
  expect(drops.droppedSince(begin, ["never"])).toBe(true);
  expect([drops.droppedSince(between, ["a"]), drops.droppedSince(between, ["c"])]).toEqual([false, true]);
});

test("after a drop a shared store contains no older reply, even if writes are slow", async () => {
  const memory = memoryStore();
  const gates = new Set<() => void>();
  const store: CacheStore = {
    shared: true,
    get: (key) => memory.get(key),
    delete: (key) => memory.delete(key),
    drop: async (tags) => memory.drop(tags),
    set: async (key, entry, options) => {
      await new Promise<void>((resolve) => gates.add(resolve));
      return memory.set(key, entry, options);
    },
  };
  const { app, get } = cachedApp({ store });
  app.get("/", { cache: { tags: ["a"] } }, () => "old");
  await get("/");
  expect(gates.size).toBe(1);
  const dropping = app.invalidateCache(["a"]);
  for (const open of gates) open();
  expect(await dropping).toBe(1);
  expect(memory.size().entries).toBe(0);
});
