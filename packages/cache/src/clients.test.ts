import { Response } from "@framework/core";
import { expect, test } from "@jest/globals";
import { cachedApp } from "./cached-app.test-kit.ts";

test("a client revalidates each time, gets 304, and sees a change as soon as the cache drops the reply", async () => {
  const { app, get } = cachedApp();
  let version = 1;
  app.get("/", { cache: { tags: ["page"] } }, () => `page ${version}`);
  const first = await get("/");
  expect(first.headers.get("cache-control")).toBe("no-cache");
  const tag = first.headers.get("etag") ?? "";
  const again = await get("/", { "if-none-match": tag });
  expect([again.status, again.outcome, again.headers.get("cache-control")]).toEqual([304, "HIT", "no-cache"]);
  version = 2;
  await app.invalidateCache(["page"]);
  const changed = await get("/", { "if-none-match": tag });
  expect([changed.status, changed.text, changed.outcome]).toEqual([200, "page 2", "MISS"]);
});

test("clientTtlSecs counts from the reply to the client; a route's value overrides the app's", async () => {
  const { app, get, clock } = cachedApp({ clientTtlSecs: 60 });
  app.get("/app", () => "x");
  app.get("/route", { cache: { clientTtlSecs: 5 } }, () => "x");
  app.get("/none", { cache: { clientTtlSecs: 0 } }, () => "x");
  app.get("/public", () => new Response("x", { headers: { "cache-control": "public" } }));
  const controls = async () =>
    Promise.all(
      ["/app", "/route", "/none", "/public"].map(async (path) => {
        const { headers } = await get(path);
        return [headers.get("cache-control"), headers.get("age")];
      }),
    );
  expect(await controls()).toEqual([
    ["max-age=60", null],
    ["max-age=5", null],
    ["no-cache", null],
    ["public, max-age=60", null],
  ]);
  await clock.advance(100_000);
  expect(await controls()).toEqual([
    ["max-age=160", "100"],
    ["max-age=105", "100"],
    ["no-cache", "100"],
    ["public, max-age=160", "100"],
  ]);
});

test("an ETag that the cache created is never sent to the handler; the handler's own validators are", async () => {
  const { app, get, clock } = cachedApp({ ttl: 5 });
  const conditions: unknown[] = [];
  app.get("/plain", (request) => {
    conditions.push(request.getHeader("if-none-match"), request.getHeader("if-modified-since"));
    return "x";
  });
  app.get("/dated", (request) => {
    conditions.push(request.getHeader("if-none-match"), request.getHeader("if-modified-since"));
    return new Response("x", { headers: { "last-modified": "Wed, 31 Dec 2025 00:00:00 GMT" } });
  });
  for (const path of ["/plain", "/dated"]) {
    const tag = (await get(path)).headers.get("etag") ?? "";
    await clock.advance(6000);
    expect((await get(path, { "if-none-match": tag })).status).toBe(304);
  }
  const date = "Wed, 31 Dec 2025 00:00:00 GMT";
  expect(conditions).toEqual([null, null, null, null, null, null, null, date]);
});

test("a stored reply keeps its Date, and is sent with its Age", async () => {
  const { app, get, clock } = cachedApp();
  app.get("/", () => "x");
  const date = (await get("/")).headers.get("date");
  expect(date).toBe("Thu, 01 Jan 2026 00:00:00 GMT");
  await clock.advance(30_000);
  const hit = await get("/");
  expect([hit.outcome, hit.headers.get("date"), hit.headers.get("age")]).toEqual(["HIT", date, "30"]);
});

test.each([
  [{ date: "Wed, 31 Dec 2025 23:59:30 GMT" }, ["30", "40", "40"]],
  [{ date: "Wed, 31 Dec 2025 23:59:30 GMT", age: "50" }, ["50", "60", "50"]],
  [{ age: "50" }, ["50", "60", "50"]],
  [{ date: "Fri, 02 Jan 2026 00:00:00 GMT" }, [null, "10", null]],
])("an old reply from a gateway is sent with its age: %j", async (fields: Record<string, string>, ages) => {
  const { app, get, clock } = cachedApp();
  const reply = (control: string) => () =>
    new Response("x", { headers: { "cache-control": control, ...fields } });
  app.get("/stored", reply("max-age=900"));
  app.get("/not-stored", reply("no-store"));
  const ageOf = async (path: string) => (await get(path)).headers.get("age");
  const first = [await ageOf("/stored"), await ageOf("/not-stored")];
  await clock.advance(10_000);
  expect([...first, await ageOf("/stored"), await ageOf("/not-stored")]).toEqual([ages[0], ...ages]);
});

test("a 304 of the handler renews the date of the stored reply", async () => {
  const { app, get, clock } = cachedApp({ ttl: 5 });
  app.get("/", (request) =>
    request.getHeader("if-none-match") === null
      ? new Response("x", { headers: { etag: '"1"' } })
      : new Response(null, { status: 304 }),
  );
  await get("/");
  await clock.advance(60_000);
  for (const outcome of ["REVALIDATED", "HIT"]) {
    const { headers } = await get("/");
    const seen = ["x-cache", "date", "age"].map((name) => headers.get(name));
    expect(seen).toEqual([outcome, "Thu, 01 Jan 2026 00:01:00 GMT", "0"]);
  }
});

test.each([
  ["must-understand, no-store, max-age=60", 200, "HIT"],
  ["must-understand, no-store, max-age=60", 404, "HIT"],
  ["must-understand, no-store, max-age=60", 299, "MISS"],
  ["must-understand, max-age=60", 299, "MISS"],
  ["must-understand, private, max-age=60", 200, "MISS"],
  ["no-store, max-age=60", 200, "MISS"],
])("after a reply with %s and status %i the next request is a %s", async (control, status, outcome) => {
  const { app, get } = cachedApp();
  app.get("/", () => new Response("x", { status, headers: { "cache-control": control } }));
  await get("/");
  expect((await get("/")).outcome).toBe(outcome);
});
