import { App, type HttpRequest, Response } from "@framework/core";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { cachedApp, testClock } from "./cached-app.test-kit.ts";
import { caching } from "./index.ts";

const perUser = { per: (request: { getHeader(name: string): string | null }) => request.getHeader("x-user") };

test("each caller has its own reply, sent with private", async () => {
  const { app, get } = cachedApp();
  let calls = 0;
  app.get("/", { cache: perUser }, (request) => `${request.getHeader("x-user")} ${++calls}`);
  const seen = async (user: string) => {
    const { text, outcome, headers } = await get("/", { "x-user": user, cookie: "a=b" });
    return [text, outcome, headers.get("cache-control"), headers.get("vary")];
  };
  for (const outcome of ["MISS", "HIT"]) {
    expect(await seen("ann")).toEqual(["ann 1", outcome, "private, no-cache", "Cookie"]);
    expect(await seen("bob")).toEqual(["bob 2", outcome, "private, no-cache", "Cookie"]);
  }
});

test("no Cache-Control of the handler makes the reply of one caller public", async () => {
  for (const control of [
    "public, max-age=60",
    "s-maxage=60, max-age=60",
    "private, max-age=60",
    "max-age=60",
  ]) {
    const { app, get } = cachedApp();
    app.get("/", { cache: perUser }, () => new Response("x", { headers: { "cache-control": control } }));
    for (const outcome of ["MISS", "HIT"]) {
      const { headers } = await get("/", { "x-user": "ann" });
      expect([control, headers.get("x-cache"), headers.get("cache-control")]).toEqual([
        control,
        outcome,
        "private, max-age=60",
      ]);
    }
    const bypass = await get("/", { "x-user": "ann", "cache-control": "no-store" });
    expect(bypass.headers.get("cache-control")).toBe("private, max-age=60");
  }
});

test("if per returns no id, the rules of other routes apply", async () => {
  const { app, get } = cachedApp();
  app.get("/", { cache: { per: () => undefined } }, () => "x");
  const outcomes = [await get("/"), await get("/"), await get("/", { cookie: "a=b" })];
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(["MISS", "HIT", "BYPASS"]);
  expect(outcomes[1]?.headers.get("cache-control")).toBe("no-cache");
});

test.each([NaN, Infinity, -Infinity, true, {}, ["ann"], Promise.resolve("ann")])(
  "an id that is neither a string nor a finite number, such as %p, is an error, and no caller gets another's reply",
  async (id) => {
    const { app, get } = cachedApp();
    app.get("/", { cache: { per: () => id as never } }, (request) => request.getHeader("x-user"));
    for (const user of ["ann", "bob"]) {
      const { status, text } = await get("/", { "x-user": user });
      expect([status, text.includes("cache: per must return a string"), text.includes("ann")]).toEqual([
        500,
        true,
        false,
      ]);
    }
  },
);

test("a reply of a route with a key function is sent with private, unless its handler sets public", async () => {
  const { app, get } = cachedApp();
  const key = (): string => "part";
  app.get("/keyed", { cache: { key } }, () => "x");
  app.get("/shared", { cache: { key, shared: true } }, () => "x");
  app.get("/public", { cache: { key } }, () => new Response("x", { headers: { "cache-control": "public" } }));
  const control = async (path: string) => (await get(path)).headers.get("cache-control");
  expect([await control("/keyed"), await control("/shared"), await control("/public")]).toEqual([
    "private, no-cache",
    "private, no-cache",
    "public, no-cache",
  ]);
});

test("a shared route serves everyone, including identified callers", async () => {
  const { app, get } = cachedApp({ clientTtlSecs: 9 });
  app.use((request, next) => {
    request.context.set("user", request.getHeader("x-user"));
    return next(request);
  });
  app.get("/shared", { cache: { shared: true } }, () => "x");
  app.get("/own", () => "x");
  const control = async (path: string) => (await get(path, { "x-user": "ann" })).headers.get("cache-control");
  expect([await control("/shared"), await control("/shared"), await control("/own")]).toEqual([
    "max-age=9",
    "max-age=9",
    "private",
  ]);
});

test("per together with shared, a per that is not a function, and a negative clientTtlSecs are start errors", async () => {
  for (const cache of [{ ...perUser, shared: true }, { per: "user" }, { clientTtlSecs: -1 }]) {
    const app = new (App.with(caching))().enableCaching();
    app.get("/", { cache: cache as never }, () => "x");
    await expect(app.start()).rejects.toThrow(
      /cache: (?:per|clientTtlSecs)|per gives|per must|clientTtlSecs must/,
    );
  }
});

test.each([undefined, null, Number.NaN, Infinity, {}, ["a"], Promise.resolve("a")])(
  "a key that is neither a string nor a finite number, such as %p, is an error, and no request gets the reply of another",
  async (part) => {
    const { app, get } = cachedApp();
    app.get("/", { cache: { key: () => part as never } }, (request) => request.getHeader("x-tenant"));
    for (const tenant of ["ann", "bob"]) {
      const { status, text } = await get("/", { "x-tenant": tenant });
      expect([
        status,
        text.includes("cache: key must return a string or a finite number"),
        text.includes("ann"),
      ]).toEqual([500, true, false]);
    }
  },
);

test("a key may be a finite number, such as an id of the database", async () => {
  const { app, get } = cachedApp();
  const key = (request: HttpRequest): number => (request.getHeader("x-tenant") === "ann" ? 1 : 2);
  app.get("/", { cache: { key } }, (request) => request.getHeader("x-tenant"));
  for (const outcome of ["MISS", "HIT"])
    for (const tenant of ["ann", "bob"])
      expect(await get("/", { "x-tenant": tenant })).toMatchObject({ text: tenant, outcome });
});

test("no caller ever gets the reply of another, for any ids, keys and directives", async () => {
  const id = fc.oneof(
    fc.constantFrom("1", 1, "", null, undefined, '["a","b"]', "a"),
    fc.string({ maxLength: 3 }),
  );
  const step = fc.record({
    id,
    extra: fc.constantFrom("", "a", '["","1"]', "1"),
    control: fc.constantFrom(null, "private, max-age=9", "no-cache", "max-age=0, stale-while-revalidate=9"),
    cookie: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
      const app = new (App.with(caching))().enableCaching({ clock: testClock() });
      const stepOf = (request: HttpRequest) => steps[Number(request.getHeader("x-step"))];
      const per = (request: HttpRequest) => stepOf(request)?.id;
      const key = (request: HttpRequest): string => stepOf(request)?.extra ?? "";
      app.get("/{page}", { cache: { per, key } }, async (request) => {
        const one = stepOf(request);
        await Promise.resolve();
        return new Response(`${typeof one?.id} ${one?.id}`, {
          headers: { etag: '"x"', ...(one?.control != null && { "cache-control": one.control }) },
        });
      });
      for (const [index, { id: own, cookie }] of steps.entries()) {
        const headers = { "x-step": `${index}`, ...(cookie && { cookie: "a=b" }) };
        const reply = await app.fetch(new Request("http://localhost/p", { headers }));
        const isOwn = own !== null && own !== undefined && own !== "";
        const text = await reply.text();
        const allowed = isOwn ? [`${typeof own} ${own}`] : ["object null", "undefined undefined", "string "];
        expect(allowed).toContain(text);
        const isPrivate = (reply.headers.get("cache-control") ?? "").startsWith("private");
        expect(isPrivate || !isOwn).toBe(true);
      }
      await app.stop();
    }),
    { numRuns: 40 },
  );
});
