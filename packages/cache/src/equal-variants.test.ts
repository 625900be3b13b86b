import { type HttpRequest, Response } from "@framework/core";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { cachedApp, type CachedApp } from "./cached-app.test-kit.ts";
import { equalVariantKeys } from "./equal-variants.ts";
import { type CacheStore, memoryStore } from "./index.ts";

/** Creates an app whose replies vary by a field, and contain the received spelling. */
const varyingApp = (name: string, config: Parameters<typeof cachedApp>[0] = {}): CachedApp => {
  const cached = cachedApp(config);
  const spelling = (request: HttpRequest): Response => {
    const body = request.getHeader(name) ?? "none";
    return new Response(body, { headers: { vary: name, "cache-control": "public, max-age=60" } });
  };
  for (const path of ["/", "/{run}"]) cached.app.get(path, spelling);
  return cached;
};

/** Sends requests for one path with these values of a field. Returns the last outcome, and the spelling that the handler had received. */
const lastReplyAt = async (
  { get }: CachedApp,
  path: string,
  name: string,
  values: readonly string[],
): Promise<readonly [string | null, string]> => {
  let seen: readonly [string | null, string] = [null, ""];
  for (const value of values) {
    const { outcome, text } = await get(path, { [name]: value });
    seen = [outcome, text];
  }
  return seen;
};

/** Like `lastReplyAt`, with a new app. */
const lastReply = (name: string, ...values: readonly string[]): Promise<readonly [string | null, string]> =>
  lastReplyAt(varyingApp(name), "/", name, values);

test("a list is found in other spellings: with or without spaces and empty members", async () => {
  expect(await lastReply("accept", "text/csv,text/html", "text/csv, text/html")).toEqual([
    "HIT",
    "text/csv,text/html",
  ]);
  expect(await lastReply("accept", "text/csv, text/html", "text/csv,text/html")).toEqual([
    "HIT",
    "text/csv, text/html",
  ]);
  expect(await lastReply("x-flags", "a,b", " a \t,, b,")).toEqual(["HIT", "a,b"]);
  expect(await lastReply("x-flags", "a", ",a,")).toEqual(["HIT", "a"]);
});

test("languages are compared case-insensitively, values of other fields are not", async () => {
  const usual = "de-DE,zh-Hant-TW,en;q=0.5,*;q=0.1";
  expect(await lastReply("accept-language", usual, "DE-de, ZH-HANT-tw, En ; Q=0.5, *;q=0.1")).toEqual([
    "HIT",
    usual,
  ]);
  expect((await lastReply("accept", "text/html", "Text/HTML"))[0]).toBe("MISS");
});

test("order, weights, quoted strings and values that are not lists are significant", async () => {
  expect((await lastReply("accept-language", "de,en", "en,de"))[0]).toBe("MISS");
  expect((await lastReply("accept-language", "de;q=0.5,en", "de;q=0.6,en"))[0]).toBe("MISS");
  expect((await lastReply("x-name", '"a, b"', '"a,b"'))[0]).toBe("MISS");
  expect((await lastReply("x-name", "a b", "ab"))[0]).toBe("MISS");
  expect((await lastReply("x-name", "a b", "a  b"))[0]).toBe("MISS");
  expect((await lastReply("x-name", "a,b", "a,b\u00a0"))[0]).toBe("MISS");
  expect((await lastReply("cookie", "a=b, c", "a=b,c"))[0]).toBe("MISS");
  expect((await lastReply("authorization", "a b, c", "a b,c"))[0]).toBe("MISS");
});

test("a reply to an unusual spelling is used for that spelling only, so a handler that misreads it affects no other request", async () => {
  const { get } = varyingApp("accept-language");
  for (const unusual of ["DE , eN", "de,,en", "DE,EN"]) {
    expect((await get("/", { "accept-language": unusual })).outcome).toBe("MISS");
  }
  const usual = await get("/", { "accept-language": "de, en" });
  expect([usual.outcome, usual.text]).toEqual(["MISS", "de, en"]);
  expect((await get("/", { "accept-language": "DE , eN" })).text).toBe("DE , eN");
});

test("a reply for another spelling is used only while it is fresh, and not for no-cache", async () => {
  const { get, clock } = varyingApp("accept-language", { staleSecs: 60 });
  await get("/", { "accept-language": "de,en" });
  const refreshed = await get("/", { "accept-language": "DE,EN", "cache-control": "no-cache" });
  expect([refreshed.outcome, refreshed.text]).toEqual(["MISS", "DE,EN"]);
  await clock.advance(60 * 1000);
  expect((await get("/", { "accept-language": "de,EN" })).text).toBe("de,EN");
});

test("only-if-cached gets the reply for another spelling", async () => {
  const { get } = varyingApp("accept-language");
  const only = { "accept-language": "DE", "cache-control": "only-if-cached" };
  expect((await get("/", only)).status).toBe(504);
  await get("/", { "accept-language": "de" });
  expect([(await get("/", only)).status, (await get("/", only)).text]).toEqual([200, "de"]);
});

test("a client with an identity gets the reply for another spelling only if clients may share it", async () => {
  const { app, get } = cachedApp();
  const reply = (control: string) => () =>
    new Response("x", { headers: { vary: "accept-language", "cache-control": control } });
  app.get("/shared", reply("public, max-age=60"));
  app.get("/plain", reply("max-age=60"));
  const outcome = async (path: string) => {
    await get(path, { "accept-language": "de" });
    return (await get(path, { "accept-language": "DE", authorization: "x" })).outcome;
  };
  expect([await outcome("/shared"), await outcome("/plain")]).toEqual(["HIT", "BYPASS"]);
});

test("other spellings are also found in an asynchronous store", async () => {
  const inner = memoryStore();
  const store: CacheStore = {
    shared: false,
    get: async (key) => inner.get(key),
    set: async (key, entry, options) => inner.set(key, entry, options),
    delete: async (key) => inner.delete(key),
    drop: async (tags) => inner.drop(tags),
  };
  const { get } = varyingApp("accept-language", { store });
  await get("/", { "accept-language": "de, en" });
  expect((await get("/", { "accept-language": "DE ,EN" })).text).toBe("de, en");
  expect((await get("/", { "accept-language": "de" })).outcome).toBe("MISS");
});

test("two spellings share a reply if and only if their members are equal, in order", async () => {
  const member = fc.constantFrom("a", "b", "b c", "a;q=1", "A");
  const gap = fc.constantFrom("", " ", "  ", "\t");
  const spelling = fc.record({
    members: fc.array(member, { minLength: 1, maxLength: 3 }),
    gaps: fc.array(gap, { minLength: 8, maxLength: 8 }),
    usual: fc.constantFrom(",", ", "),
  });
  const outcomes = new Set<string | null>();
  const cached = varyingApp("x-list");
  let run = 0;
  await fc.assert(
    fc.asyncProperty(spelling, spelling, fc.boolean(), async (one, other, same) => {
      const second = same ? one.members : other.members;
      const unusual = second.map((text, at) => `${one.gaps[2 * at]}${text}${one.gaps[2 * at + 1]}`).join(",");
      const [outcome] = await lastReplyAt(cached, `/${++run}`, "x-list", [
        one.members.join(one.usual),
        unusual,
      ]);
      expect(outcome).toBe(JSON.stringify(one.members) === JSON.stringify(second) ? "HIT" : "MISS");
      outcomes.add(outcome);
    }),
    { numRuns: 300 },
  );
  expect(outcomes.size).toBe(2);
});

test("other spellings are found in linear time", () => {
  for (const value of [
    " ".repeat(16_000),
    "; ".repeat(8000),
    ",".repeat(16_000),
    "a-".repeat(8000),
    `a${" ".repeat(16_000)}b`,
  ]) {
    const request = { getHeader: () => value } as unknown as HttpRequest;
    const begin = process.cpuUsage();
    equalVariantKeys("key", ["accept-language"], request);
    expect(process.cpuUsage(begin).user / 1000).toBeLessThan(1000);
  }
});
