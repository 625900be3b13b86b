import { dependency, type HttpRequest, Response } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { cachedApp, gate } from "./cached-app.test-kit.ts";
import { cacheTags } from "./index.ts";
import { taggedHandler, type TaggedState } from "./tagged-handler.test-kit.ts";

type Fields = Record<string, string>;

test("a 304 of the handler updates the stored fields, and the stored body is served", async () => {
  const { app, get, clock } = cachedApp();
  const state = { body: "body", etag: '"1"', fields: { "cache-control": "max-age=10", "x-rev": "1" } };
  const conditions: (string | null)[] = [];
  app.get("/", taggedHandler(state, conditions));
  await get("/");
  await clock.advance(10 * 1000);
  state.fields = { "cache-control": "max-age=20", "x-rev": "2" };
  const again = await get("/");
  expect([again.status, again.text, again.outcome]).toEqual([200, "body", "REVALIDATED"]);
  expect(again.headers.get("cache-status")).toBe("framework; fwd=stale; fwd-status=304; stored");
  expect([again.headers.get("x-rev"), again.headers.get("content-type")]).toEqual([
    "2",
    "text/plain; charset=utf-8",
  ]);
  await clock.advance(19 * 1000);
  const hit = await get("/");
  expect([hit.outcome, hit.headers.get("age"), hit.headers.get("x-rev"), hit.headers.get("etag")]).toEqual([
    "HIT",
    "19",
    "2",
    '"1"',
  ]);
  expect(conditions).toEqual([null, '"1"']);
});

test("tags of a 304 replace those of the previous 304, and tags of the stored body are kept", async () => {
  const { app, get, clock, logged } = cachedApp({ ttl: 10 });
  let revision = 0;
  app.get("/", { cache: { tags: ["page"] } }, (request) => {
    const headers = { etag: '"1"' };
    if (request.getHeader("if-none-match") === null)
      return cacheTags(new Response("body", { headers }), "author");
    return cacheTags(new Response(null, { status: 304, headers }), `rev:${++revision}`);
  });
  await get("/");
  for (let count = 0; count < 150; count++) {
    await clock.advance(10_000);
    expect((await get("/")).outcome).toBe("REVALIDATED");
  }
  expect(logged).toEqual([]);
  expect(await app.invalidateCache(["rev:149"])).toBe(0);
  expect(await app.invalidateCache(["rev:150"])).toBe(1);
  await get("/");
  await clock.advance(10_000);
  await get("/");
  expect(await app.invalidateCache(["author"])).toBe(1);
  await get("/");
  await clock.advance(10_000);
  await get("/");
  expect(await app.invalidateCache(["page"])).toBe(1);
});

test("a reply is not stored by a 304 if a tag of it was dropped since the handler was called, even one that the 304 replaces", async () => {
  const { app, get, clock } = cachedApp({ ttl: 10 });
  const [called, answer] = [gate(), gate()];
  let calls = 0;
  app.get("/", async (request) => {
    calls++;
    const headers = { etag: '"1"', ...(calls === 3 && { vary: "accept" }) };
    if (request.getHeader("if-none-match") === null) return new Response("body", { headers });
    if (calls === 3) {
      called.open();
      await answer.opened;
    }
    return cacheTags(new Response(null, { status: 304, headers }), `rev:${calls}`);
  });
  await get("/");
  await clock.advance(10_000);
  await get("/");
  await clock.advance(10_000);
  const reply = get("/");
  await called.opened;
  expect(await app.invalidateCache(["rev:2"])).toBe(1);
  answer.open();
  await reply;
  expect((await get("/")).outcome).toBe("MISS");
});

test("X-Cache-TTL is kept after a 304 without explicit freshness", async () => {
  const { app, get, clock } = cachedApp({ ttl: 300 });
  const state = { body: "body", etag: '"1"', fields: { "x-cache-ttl": "20" } as Fields };
  app.get("/", taggedHandler(state));
  await get("/");
  state.fields = {};
  const outcomes: (string | null)[] = [];
  for (const secs of [20, 19, 1, 19, 1]) {
    await clock.advance(secs * 1000);
    outcomes.push((await get("/")).outcome);
  }
  expect(outcomes).toEqual(["REVALIDATED", "HIT", "REVALIDATED", "HIT", "REVALIDATED"]);
});

test.each([
  ["max-age", { "cache-control": "max-age=5" }],
  ["an X-Cache-TTL", { "x-cache-ttl": "5", "cache-control": "max-age=30" }],
])("%s of a 304 replaces the X-Cache-TTL of the stored reply", async (_name, fields) => {
  const { app, get, clock } = cachedApp();
  const state = { body: "body", etag: '"1"', fields: { "x-cache-ttl": "20" } as Fields };
  app.get("/", taggedHandler(state));
  await get("/");
  state.fields = fields;
  const outcomes: (string | null)[] = [];
  for (const secs of [20, 4, 1]) {
    await clock.advance(secs * 1000);
    outcomes.push((await get("/")).outcome);
  }
  expect(outcomes).toEqual(["REVALIDATED", "HIT", "REVALIDATED"]);
});

test("a reply with only Last-Modified is also revalidated", async () => {
  const { app, get, clock } = cachedApp({ ttl: 5 });
  const modified = "Wed, 31 Dec 2025 00:00:00 GMT";
  const conditions: (string | null)[] = [];
  app.get("/", taggedHandler({ body: "body", modified, fields: {} }, conditions));
  await get("/");
  await clock.advance(5 * 1000);
  expect((await get("/")).outcome).toBe("REVALIDATED");
  expect((await get("/")).outcome).toBe("HIT");
  expect(conditions).toEqual([null, modified]);
});

test("a no-cache reply is revalidated each time, and not stored without a validator", async () => {
  const { app, get } = cachedApp();
  const fields = { "cache-control": "no-cache" };
  app.get("/tag", taggedHandler({ body: "body", etag: '"1"', fields }));
  app.get("/none", taggedHandler({ body: "body", fields }));
  const outcomes = async (path: string) => [
    (await get(path)).outcome,
    (await get(path)).outcome,
    (await get(path)).outcome,
  ];
  expect(await outcomes("/tag")).toEqual(["MISS", "REVALIDATED", "REVALIDATED"]);
  expect(await outcomes("/none")).toEqual(["MISS", "MISS", "MISS"]);
});

test("a new reply replaces the stale one, and a reply that must not be stored removes it", async () => {
  const { app, get, clock } = cachedApp();
  const state: TaggedState = {
    body: "one",
    etag: '"1"',
    fields: { "cache-control": "max-age=10" },
  };
  const conditions: (string | null)[] = [];
  app.get("/", taggedHandler(state, conditions));
  await get("/");
  await clock.advance(10 * 1000);
  Object.assign(state, { body: "two", etag: '"2"' });
  const second = await get("/");
  expect([second.text, second.outcome, second.headers.get("cache-status")]).toEqual([
    "two",
    "MISS",
    "framework; fwd=stale; stored",
  ]);
  expect((await get("/")).text).toBe("two");
  await clock.advance(10 * 1000);
  Object.assign(state, { body: "three", etag: '"3"', fields: { "cache-control": "private" } });
  expect((await get("/")).text).toBe("three");
  Object.assign(state, { body: "four" });
  expect((await get("/")).text).toBe("four");
  expect(conditions).toEqual([null, '"1"', '"2"', null]); // no condition after the removal
  expect((await get("/", { "cache-control": "only-if-cached" })).status).toBe(504);
});

test("after a 304 with another entity tag the handler is called again without conditions", async () => {
  const { app, get, clock } = cachedApp({ ttl: 10 });
  let calls = 0;
  app.get("/", (request) => {
    calls++;
    if (request.getHeader("if-none-match") !== null)
      return new Response(null, { status: 304, headers: { etag: '"other"' } });
    return new Response(`body ${calls}`, { headers: { etag: '"1"' } });
  });
  await get("/");
  await clock.advance(10 * 1000);
  const reply = await get("/");
  expect([reply.status, reply.text, calls]).toEqual([200, "body 3", 3]);
});

test("a 304 with Set-Cookie or no-store is served to its client only", async () => {
  const changes: readonly Fields[] = [{ "set-cookie": "a=b" }, { "cache-control": "no-store" }];
  for (const fields of changes) {
    const { app, get, clock } = cachedApp();
    const state = { body: "body", etag: '"1"', fields: { "cache-control": "max-age=10" } as Fields };
    app.get("/", taggedHandler(state));
    await get("/");
    await clock.advance(10 * 1000);
    state.fields = fields;
    const reply = await get("/");
    const cookie = fields["set-cookie"] ?? null;
    expect([reply.text, reply.headers.get("set-cookie"), reply.outcome]).toEqual([
      "body",
      cookie,
      "REVALIDATED",
    ]);
    state.fields = { "cache-control": "max-age=10" };
    const next = await get("/");
    expect([next.outcome, next.headers.get("set-cookie")]).toEqual(["MISS", null]);
  }
});

test("a request with no-cache refreshes, only-if-cached gets stored replies only, no-store bypasses the cache", async () => {
  const { app, get } = cachedApp();
  let calls = 0;
  app.get("/", () => `${++calls}`);
  expect((await get("/", { "cache-control": "only-if-cached" })).status).toBe(504);
  await get("/");
  const refreshed = await get("/", { "cache-control": "no-cache" });
  expect([refreshed.text, refreshed.outcome, refreshed.headers.get("cache-status")]).toEqual([
    "2",
    "MISS",
    "framework; fwd=request; stored",
  ]);
  expect((await get("/", { "cache-control": "only-if-cached" })).text).toBe("2");
  const passed = await get("/", { "cache-control": "no-store" });
  expect([passed.text, passed.outcome]).toEqual(["3", "BYPASS"]);
  expect((await get("/")).text).toBe("2");
  expect((await get("/", { "cache-control": "no-store, only-if-cached" })).status).toBe(504);
});

test("the 504 of only-if-cached has the standard error body, X-Cache and Cache-Status", async () => {
  const { app, get } = cachedApp();
  app.get("/", () => "x");
  const reply = await get("/", { "cache-control": "only-if-cached" });
  expect(JSON.parse(reply.text)).toMatchObject({ error: "Gateway Timeout", status: 504 });
  expect([reply.outcome, reply.headers.get("cache-status")]).toEqual(["MISS", "framework; fwd=request"]);
});

test("a revalidated request has one scope: its dependencies end once, after its deferred tasks, and its abort reaches the handler", async () => {
  const { app, get, clock } = cachedApp({ ttl: 5, staleSecs: 0 });
  const [opened, seen]: [{ alive: boolean }[], unknown[]] = [[], []];
  const Repo = dependency("repo", {
    scope: "invocation",
    create: () => {
      opened.push({ alive: true });
      return opened.at(-1) as { alive: boolean };
    },
    dispose: (repo) => void (repo.alive = false),
  });
  app.use((request, next) => {
    const reply = next(request);
    request.abort(new Error("too late"));
    return reply;
  });
  const guard = (request: HttpRequest): unknown => request.scope.call({ repo: Repo }, () => true);
  app.get("/", { guards: [guard as never], inject: { repo: Repo } }, async (request, { repo }) => {
    request.defer(async () => {
      await Promise.resolve();
      seen.push(["deferred", repo.alive]);
    });
    await Promise.resolve();
    seen.push(["aborted", request.signal.aborted]);
    return new Response("body", { headers: { etag: '"1"' } });
  });
  for (let call = 1; call <= 3; call++) {
    await get("/");
    await waitFor(() => seen.length === 2 * call && opened.every(({ alive }) => !alive));
    await clock.advance(10 * 1000);
  }
  const each = [
    ["aborted", true],
    ["deferred", true],
  ];
  expect(seen).toEqual([...each, ...each, ...each]);
  expect(opened).toHaveLength(3);
});
