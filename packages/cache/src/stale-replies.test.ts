import { dependency, Depends, Response } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { cachedApp } from "./cached-app.test-kit.ts";
import { taggedHandler, type TaggedState } from "./tagged-handler.test-kit.ts";

test("a stale reply replaces a failure within stale-if-error, unless must-revalidate is set", async () => {
  for (const [extra, expected] of [
    ["", ["STALE", "STALE", "MISS"]],
    [", must-revalidate", ["MISS", "MISS", "MISS"]],
    [", proxy-revalidate", ["MISS", "MISS", "MISS"]],
  ] as const) {
    for (const etag of ['"1"', undefined]) {
      const { app, get, clock } = cachedApp();
      const fields = { "cache-control": `max-age=10, stale-if-error=20${extra}` };
      const state: TaggedState = {
        body: "body",
        fields,
        ...(etag !== undefined && { etag }),
      };
      app.get("/", taggedHandler(state));
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
    const expired = await get("/");
    expect([expired.text, expired.outcome]).toEqual(["3", "MISS"]);
  }
});

test("the stale reply of a handler with request dependencies is also refreshed", async () => {
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

test("an error with explicit freshness is stored, with and without an expired stored reply", async () => {
  const { app, get, clock } = cachedApp();
  const failed = { "cache-control": "max-age=5" };
  const state: TaggedState = { body: "body", fields: failed, status: 503 };
  app.get("/", (request) => {
    const reply = taggedHandler(state)(request);
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

test("background refreshes of a reply with an entity tag dispose of their dependencies", async () => {
  const { app, get, clock } = cachedApp({ ttl: 5, staleSecs: 60 });
  let [created, disposed] = [0, 0];
  const Repo = dependency("repo", {
    scope: "invocation",
    create: () => ++created,
    dispose: () => void disposed++,
  });
  app.get("/", { inject: { repo: Repo } }, (_request, { repo }) => {
    return new Response("body", { headers: { etag: `"${repo}"` } });
  });
  for (let call = 1; call <= 4; call++) {
    await get("/");
    await waitFor(() => created === call && disposed === call);
    await clock.advance(10 * 1000);
  }
  expect([created, disposed]).toEqual([4, 4]);
});
