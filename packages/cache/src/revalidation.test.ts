import { dependency, Depends, type HttpRequest, Response } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { cachedApp } from "./cached-app.test-kit.ts";

type Fields = Record<string, string>;

/** A handler that answers 304 if the entity tag matches, with the current `fields`. */
const tagged =
  (
    state: { body: string; etag?: string; modified?: string; fields: Fields; status?: number },
    asked: (string | null)[] = [],
  ) =>
  (request: HttpRequest): Response => {
    const { etag, modified } = state;
    const headers: Fields = {
      ...state.fields,
      ...(etag !== undefined && { etag }),
      ...(modified !== undefined && { "last-modified": modified }),
    };
    asked.push(request.getHeader("if-none-match") ?? request.getHeader("if-modified-since"));
    if (state.status !== undefined) return new Response("failed", { status: state.status });
    const same =
      (etag !== undefined && request.getHeader("if-none-match") === etag) ||
      (modified !== undefined && request.getHeader("if-modified-since") === modified);
    return same ? new Response(null, { status: 304, headers }) : new Response(state.body, { headers });
  };

test("a 304 of the handler updates the stored fields, and the stored body is served", async () => {
  const { app, get, clock } = cachedApp();
  const state = { body: "body", etag: '"1"', fields: { "cache-control": "max-age=10", "x-rev": "1" } };
  const asked: (string | null)[] = [];
  app.get("/", tagged(state, asked));
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
  expect(asked).toEqual([null, '"1"']);
});

test("X-Cache-TTL outlives a 304 without freshness of its own", async () => {
  const { app, get, clock } = cachedApp({ ttl: 300 });
  const state = { body: "body", etag: '"1"', fields: { "x-cache-ttl": "20" } as Fields };
  app.get("/", tagged(state));
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
  app.get("/", tagged(state));
  await get("/");
  state.fields = fields;
  const outcomes: (string | null)[] = [];
  for (const secs of [20, 4, 1]) {
    await clock.advance(secs * 1000);
    outcomes.push((await get("/")).outcome);
  }
  expect(outcomes).toEqual(["REVALIDATED", "HIT", "REVALIDATED"]);
});

test("a reply with Last-Modified only is revalidated, too", async () => {
  const { app, get, clock } = cachedApp({ ttl: 5 });
  const modified = "Wed, 31 Dec 2025 00:00:00 GMT";
  const asked: (string | null)[] = [];
  app.get("/", tagged({ body: "body", modified, fields: {} }, asked));
  await get("/");
  await clock.advance(5 * 1000);
  expect((await get("/")).outcome).toBe("REVALIDATED");
  expect((await get("/")).outcome).toBe("HIT");
  expect(asked).toEqual([null, modified]);
});

test("a no-cache reply is revalidated each time, and not stored without a validator", async () => {
  const { app, get } = cachedApp();
  const fields = { "cache-control": "no-cache" };
  app.get("/tag", tagged({ body: "body", etag: '"1"', fields }));
  app.get("/none", tagged({ body: "body", fields }));
  const outcomes = async (path: string) => [
    (await get(path)).outcome,
    (await get(path)).outcome,
    (await get(path)).outcome,
  ];
  expect(await outcomes("/tag")).toEqual(["MISS", "REVALIDATED", "REVALIDATED"]);
  expect(await outcomes("/none")).toEqual(["MISS", "MISS", "MISS"]);
});

test("a new reply replaces the stale one, and one that must not be stored removes it", async () => {
  const { app, get, clock } = cachedApp();
  const state: Parameters<typeof tagged>[0] = {
    body: "one",
    etag: '"1"',
    fields: { "cache-control": "max-age=10" },
  };
  const asked: (string | null)[] = [];
  app.get("/", tagged(state, asked));
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
  expect(asked).toEqual([null, '"1"', '"2"', null]); // no condition after the removal
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
    app.get("/", tagged(state));
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

test("a stale reply replaces a failure within stale-if-error, unless must-revalidate is set", async () => {
  for (const [extra, expected] of [
    ["", ["STALE", "STALE", "MISS"]],
    [", must-revalidate", ["MISS", "MISS", "MISS"]],
    [", proxy-revalidate", ["MISS", "MISS", "MISS"]],
  ] as const) {
    for (const etag of ['"1"', undefined]) {
      const { app, get, clock } = cachedApp();
      const fields = { "cache-control": `max-age=10, stale-if-error=20${extra}` };
      const state: Parameters<typeof tagged>[0] = {
        body: "body",
        fields,
        ...(etag !== undefined && { etag }),
      };
      app.get("/", tagged(state));
      await get("/");
      state.status = 503;
      const seen: (string | null)[] = [];
      for (const secs of [10, 19, 1]) {
        await clock.advance(secs * 1000);
        const { outcome, status, text } = await get("/");
        seen.push(outcome);
        expect([status, text]).toEqual(outcome === "STALE" ? [200, "body"] : [503, "failed"]);
      }
      expect(seen).toEqual(expected);
    }
  }
});

test("a stale reply is served within stale-while-revalidate, while one call refreshes it", async () => {
  for (const [config, route, control] of [
    [{ ttl: 10, staleSecs: 20 }, {}, null],
    [{ ttl: 10 }, { staleSecs: 20 }, null],
    [{ ttl: 300 }, {}, "max-age=10, stale-while-revalidate=20"],
    [{ ttl: 300 }, {}, "s-maxage=10, stale-while-revalidate=20"],
  ] as const) {
    const { app, get, clock } = cachedApp(config);
    let calls = 0;
    app.get(
      "/",
      { cache: route },
      () => new Response(`${++calls}`, control === null ? {} : { headers: { "cache-control": control } }),
    );
    await get("/");
    await clock.advance(29 * 1000);
    const [one, two] = [await get("/"), await get("/")];
    expect([one.text, one.outcome, one.headers.get("age"), one.headers.get("cache-status")]).toEqual([
      "1",
      "STALE",
      "29",
      "framework; hit; ttl=-19",
    ]);
    expect(["1", "2"]).toContain(two.text);
    await waitFor(() => calls === 2);
    const fresh = await get("/");
    expect([fresh.text, fresh.outcome, calls]).toEqual(["2", "HIT", 2]);
    await clock.advance(30 * 1000);
    const over = await get("/");
    expect([over.text, over.outcome]).toEqual(["3", "MISS"]);
  }
});

test("a stale reply of a handler with dependencies of its request is refreshed too", async () => {
  for (const isInjected of [true, false]) {
    const { app, get, clock, logged } = cachedApp({ ttl: 10, staleSecs: 20 });
    const Session = dependency("session", {
      scope: "invocation",
      create: () => ({ isOpen: true }),
      dispose(session) {
        session.isOpen = false;
      },
    });
    let calls = 0;
    const reply = async (session: { readonly isOpen: boolean }) => {
      await Promise.resolve();
      return `${++calls} ${session.isOpen}`;
    };
    if (isInjected) app.get("/", { inject: { session: Session } }, (_request, { session }) => reply(session));
    else app.get("/", (_request, session = Depends(Session)) => reply(session));
    await get("/");
    await clock.advance(11 * 1000);
    expect((await get("/")).outcome).toBe("STALE");
    await waitFor(() => calls === 2 || logged.length > 0);
    const fresh = await get("/");
    expect([fresh.text, fresh.outcome, logged]).toEqual(["2 true", "HIT", []]);
  }
});

test("must-revalidate and s-maxage override staleSecs", async () => {
  for (const control of ["max-age=10, must-revalidate", "s-maxage=10", "max-age=10, proxy-revalidate"]) {
    const { app, get, clock } = cachedApp({ staleSecs: 100 });
    app.get("/", () => new Response("x", { headers: { "cache-control": control } }));
    await get("/");
    await clock.advance(11 * 1000);
    expect((await get("/")).outcome).toBe("MISS");
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

test("an error with explicit freshness is stored, without and with a stored reply that is out of use", async () => {
  const { app, get, clock } = cachedApp();
  const failed = { "cache-control": "max-age=5" };
  const state: Parameters<typeof tagged>[0] = { body: "body", fields: failed, status: 503 };
  app.get("/", (request) => {
    const reply = tagged(state)(request);
    for (const [name, value] of Object.entries(state.fields)) reply.setHeader(name, value);
    return reply;
  });
  const seen = async () => {
    const { status, outcome } = await get("/");
    return `${status} ${outcome}`;
  };
  expect([await seen(), await seen()]).toEqual(["503 MISS", "503 HIT"]);
  await clock.advance(5000);
  delete state.status;
  expect(await seen()).toBe("200 MISS");
  await clock.advance(5000);
  state.status = 500;
  expect([await seen(), await seen()]).toEqual(["500 MISS", "500 HIT"]);
});

test("a 5xx with explicit freshness does not replace a stored reply that is fresh or may be served stale", async () => {
  const life = "max-age=10, stale-while-revalidate=10, stale-if-error=30";
  const { app, get, clock } = cachedApp();
  let status = 200;
  const statuses: number[] = [];
  app.get("/", () => {
    statuses.push(status);
    return new Response("body", {
      status,
      headers: { "cache-control": status === 200 ? life : "public, max-age=600" },
    });
  });
  const seen = async (headers: Record<string, string> = {}) => {
    const reply = await get("/", headers);
    return `${reply.status} ${reply.outcome}`;
  };
  await get("/");
  status = 503;
  expect([await seen({ "cache-control": "no-cache" }), await seen()]).toEqual(["200 STALE", "200 HIT"]);
  await clock.advance(10_000);
  expect(await seen()).toBe("200 STALE"); // refreshed in the background, which fails
  await waitFor(() => statuses.length === 3);
  expect(await seen()).toBe("200 STALE");
  await clock.advance(15_000);
  expect(await seen()).toBe("200 STALE");
  await clock.advance(15_000);
  expect([await seen(), await seen()]).toEqual(["503 MISS", "503 HIT"]);
});

test("a request that is revalidated has one life: its dependencies end once, after its deferred tasks, and its abort reaches the handler", async () => {
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

test("background refreshes of a reply with an entity tag end the dependencies that they make", async () => {
  const { app, get, clock } = cachedApp({ ttl: 5, staleSecs: 60 });
  let [made, ended] = [0, 0];
  const Repo = dependency("repo", { scope: "invocation", create: () => ++made, dispose: () => void ended++ });
  app.get("/", { inject: { repo: Repo } }, (_request, { repo }) => {
    return new Response("body", { headers: { etag: `"${repo}"` } });
  });
  for (let call = 1; call <= 4; call++) {
    await get("/");
    await waitFor(() => made === call && ended === call);
    await clock.advance(10 * 1000);
  }
  expect([made, ended]).toEqual([4, 4]);
});
