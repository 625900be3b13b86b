import { Response } from "@framework/core";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { cachedApp } from "./cached-app.test-kit.ts";
import { parseCacheControl } from "@framework/core/http";
import { canOverlap } from "./path-overlap.ts";

test("queries with the same parameters have one key, for any order of names and any encoding", async () => {
  const { app, get } = cachedApp();
  app.get("/", (request) => request.query.toString());
  const same = async (one: string, other: string) => {
    await get(one);
    return (await get(other)).outcome === "HIT";
  };
  expect(await same("/?a=1&b=2", "/?b=2&a=1")).toBe(true);
  expect(await same("/?c=1&c=2&a=1", "/?a=1&c=1&c=2")).toBe(true);
  expect(await same("/?d=%41", "/?d=A")).toBe(true);
  expect(await same("/?e=x+y", "/?e=x%20y")).toBe(true);
  expect(await same("/?f=1&f=2", "/?f=2&f=1")).toBe(false);
  expect(await same("/?g=1&%67=2", "/?%67=2&g=1")).toBe(false);
  expect(await same("/?h=1", "/?h=1&i=")).toBe(false);
  expect(await same("/?j=a%26k%3Db", "/?j=a&k=b")).toBe(false);
});

test("two requests have one key if and only if path, host and query parameters are equal", async () => {
  const word = fc.constantFrom("", "a", "b", "a b", "&", "=", "%", "é", "+", "\u{1F600}", '"', "[", " ", "?");
  const target = fc.record({
    host: fc.constantFrom("localhost", "other.test", "localhost:81"),
    path: fc.constantFrom("/x", "/x/y", "/x%20y", "/x%3Fa=b", "/x%2Fy"),
    pairs: fc.array(fc.tuple(word, word), { maxLength: 3 }),
  });
  type Target = { host: string; path: string; pairs: [string, string][] };
  const sameMeaning = (one: Target, other: Target): boolean => {
    const names = (t: Target) => [...new Set(t.pairs.map(([name]) => name))].sort();
    const values = (t: Target, key: string) =>
      t.pairs.filter(([name]) => name === key).map(([, value]) => value);
    return (
      one.host === other.host &&
      one.path === other.path &&
      JSON.stringify(names(one)) === JSON.stringify(names(other)) &&
      names(one).every((name) => JSON.stringify(values(one, name)) === JSON.stringify(values(other, name)))
    );
  };
  const url = ({ host, path, pairs }: Target, run: number) =>
    `http://${host}/${run}${path}?${new URLSearchParams(pairs).toString()}`;
  const equivalent = (one: Target) =>
    fc.shuffledSubarray(one.pairs, { minLength: one.pairs.length }).map((pairs) => ({ ...one, pairs }));
  const targets = target.chain((one) => fc.tuple(fc.constant(one), fc.oneof(target, equivalent(one))));
  const kinds = new Set<string | null>();
  const { app } = cachedApp();
  app.get("/{*rest}", () => "x");
  let run = 0;
  await fc.assert(
    fc.asyncProperty(targets, async ([one, other]) => {
      await app.fetch(new Request(url(one, ++run)));
      const outcome = (await app.fetch(new Request(url(other, run)))).headers.get("x-cache");
      expect(outcome).toBe(sameMeaning(one, other) ? "HIT" : "MISS");
      kinds.add(outcome);
    }),
    { numRuns: 300 },
  );
  expect(kinds.size).toBe(2);
});

test("replies vary by the fields of their Vary and of the route, and the sent Vary lists all of them", async () => {
  const { app, get } = cachedApp();
  app.get("/", { cache: { vary: ["X-Tenant"] } }, (request) => {
    const text = `${request.getHeader("accept-language")} ${request.getHeader("x-tenant")}`;
    return new Response(text, { headers: { vary: "Accept-Language" } });
  });
  const combinations = ["de", "en"].flatMap((language) =>
    ["1", "2"].map((tenant) => ({ "accept-language": language, "x-tenant": tenant })),
  );
  for (const headers of combinations) expect((await get("/", headers)).outcome).toBe("MISS");
  for (const headers of combinations) {
    const hit = await get("/", headers);
    expect([hit.outcome, hit.text]).toEqual(["HIT", Object.values(headers).join(" ")]);
    expect(hit.headers.get("vary")).toBe("Accept-Language, x-tenant");
  }
  const missing = await get("/", { "accept-language": "de" });
  expect([missing.outcome, missing.headers.get("cache-status")]).toEqual([
    "MISS",
    "framework; fwd=vary-miss; stored",
  ]);
});

test("a route's key function adds to the key", async () => {
  const { app, get } = cachedApp();
  app.get(
    "/",
    { cache: { key: (request) => request.getHeader("x-device") ?? "" } },
    (request) => request.getHeader("x-device") ?? "none",
  );
  await get("/", { "x-device": "phone" });
  expect((await get("/", { "x-device": "phone" })).outcome).toBe("HIT");
  expect((await get("/", { "x-device": "desk" })).text).toBe("desk");
  expect((await get("/")).text).toBe("none");
});

test("the key of QUERY includes the body and its content type", async () => {
  const { app, send } = cachedApp({ methods: ["GET", "QUERY"] });
  app.query("/", async (request) => `${request.contentType} ${await request.text()}`);
  const query = (body: string, type = "text/plain") =>
    send("QUERY", "/", { body, headers: { "content-type": type } });
  const first = await query("one");
  expect([first.text, first.outcome]).toEqual(["text/plain one", "MISS"]);
  expect((await query("one")).outcome).toBe("HIT");
  expect((await query("two")).text).toBe("text/plain two");
  expect((await query("one", "text/csv")).text).toBe("text/csv one");
});

test("QUERY and HEAD are cached only if methods lists them", async () => {
  const { app, send, get } = cachedApp({ methods: ["GET"] });
  app.query("/", () => "x");
  app.get("/", () => "x");
  await send("QUERY", "/", { body: "x" });
  expect((await send("QUERY", "/", { body: "x" })).outcome).toBeNull();
  await get("/");
  expect((await send("HEAD", "/")).outcome).toBeNull();
  expect((await get("/")).outcome).toBe("HIT");
});

test("Cache-Control is parsed in linear time", () => {
  for (const text of [
    '"'.repeat(16_000),
    "a=".repeat(8000),
    'a="\\'.repeat(4000),
    ",".repeat(16_000),
    "a ".repeat(8000),
  ]) {
    const begin = process.cpuUsage();
    parseCacheControl(text);
    expect(process.cpuUsage(begin).user / 1000).toBeLessThan(1000);
  }
});

test("patterns overlap if and only if a path can match both", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["/books", "/books", true],
    ["/books", "/books/", false],
    ["/books/{id}", "/books/latest", true],
    ["/books/{id}", "/books/{other}/pages", false],
    ["/{*rest}", "/a/b/c", true],
    ["/files/{*rest}", "/other/{x}", false],
    ["/login", "/books/{id}", false],
  ];
  for (const [one, other, expected] of cases) {
    expect([one, other, canOverlap(one, other), canOverlap(other, one)]).toEqual([
      one,
      other,
      expected,
      expected,
    ]);
  }
});
