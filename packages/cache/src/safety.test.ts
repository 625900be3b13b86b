import { App, Response } from "@framework/core";
import { type Host, SingleUse } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { cachedApp, testClock } from "./cached-app.test-kit.ts";
import { caching } from "./index.ts";

/** Header fields of clients with different identities. */
const identities: readonly Readonly<Record<string, string>>[] = [
  {},
  { authorization: "Bearer ada" },
  { authorization: "Bearer bob" },
  { cookie: "session=ada" },
  { cookie: "session=bob" },
  { "x-test-user": "ada" },
  { "x-test-user": "bob" },
];
const nameOf = (headers: Readonly<Record<string, string>>): string => JSON.stringify(headers);

test("a reply for one identity never reaches another, unless it has public or s-maxage", async () => {
  const control = fc.constantFrom(
    null,
    "max-age=100",
    "no-cache",
    "private",
    "public",
    "s-maxage=50",
    "max-age=1, stale-while-revalidate=99",
  );
  const step = fc.record({
    identity: fc.nat(identities.length - 1),
    path: fc.constantFrom("/a", "/b"),
    control,
    etag: fc.boolean(),
    pass: fc.constantFrom(0, 0, 2),
    requestControl: fc.constantFrom("", "no-cache"),
    isConcurrent: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      const clock = testClock();
      const app = new (App.with(caching))().enableCaching({ clock });
      app.use((request, next) => {
        const user = request.getHeader("x-test-user");
        if (user !== null) request.context.set("user", user);
        return next(request);
      });
      app.get("/{page}", async (request) => {
        const identity = nameOf(
          Object.fromEntries(
            ["authorization", "cookie", "x-test-user"].flatMap((name) =>
              request.headers.has(name) ? [[name, request.getHeader(name, "")]] : [],
            ),
          ),
        );
        const control = request.getHeader("x-control");
        await Promise.resolve();
        return new Response(`${identity} ${control}`, {
          headers: {
            ...(control !== null && { "cache-control": control }),
            ...(request.getHeader("x-tag") !== null && { etag: `"${identity.length}"` }),
          },
        });
      });
      const leaks: string[] = [];
      let running: Promise<void>[] = [];
      for (const {
        identity,
        path,
        control: replyControl,
        etag,
        pass,
        requestControl,
        isConcurrent,
      } of steps) {
        const own = identities[identity] ?? {};
        const headers = {
          ...own,
          ...(replyControl !== null && { "x-control": replyControl }),
          ...(etag && { "x-tag": "1" }),
          "cache-control": requestControl,
        };
        const sendRequest = async () => {
          const text = await (await app.fetch(new Request(`http://localhost${path}`, { headers }))).text();
          const isOwn = text.startsWith(`${nameOf(own)} `);
          const isPublic = text.endsWith("public") || text.endsWith("s-maxage=50");
          const isAnonymous = text.startsWith("{} ") && Object.keys(own).length === 0;
          if (!isOwn && !isPublic && !isAnonymous) leaks.push(`${nameOf(own)} got ${text}`);
        };
        running.push(sendRequest());
        if (!isConcurrent) {
          await Promise.all(running);
          running = [];
        }
        if (pass > 0) await clock.advance(pass * 1000);
      }
      await Promise.all(running);
      await app.stop();
      expect(leaks).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test("request fields outside the key never affect the replies to other requests", async () => {
  const names = [
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-forwarded-for",
    "x-original-url",
    "x-http-method-override",
    "accept",
    "accept-encoding",
    "user-agent",
    "referer",
    "origin",
    "x-host",
    "forwarded",
    "range",
    "if-none-match",
    "if-modified-since",
    "if-range",
  ];
  const field = fc.tuple(
    fc.constantFrom(...names),
    fc.constantFrom("evil.test", "https", "bytes=0-1", '"x"', "*", "gzip"),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(field, { maxLength: 5 }),
      fc.constantFrom("GET", "HEAD"),
      async (fields, method) => {
        const { app, get, send } = cachedApp();
        app.get(
          "/",
          (request) =>
            new Response(`${request.method} ${request.host} ${request.scheme} ${request.url}`, {
              headers: { etag: '"x"' },
            }),
        );
        await send(method, "/", { headers: fields });
        const seen = await get("/");
        expect([seen.status, seen.text]).toEqual([200, "GET localhost http http://localhost/"]);
      },
    ),
    { numRuns: 150 },
  );
});

test.each([undefined, null, false, ""])("%j as the user of a request is not an identity", async (user) => {
  const { app, get } = cachedApp();
  app.use((request, next) => {
    request.context.set("user", user);
    return next(request);
  });
  app.get("/", () => "x");
  expect([(await get("/")).outcome, (await get("/")).outcome]).toEqual(["MISS", "HIT"]);
});

test("guards and middleware also apply to hits", async () => {
  const { app, get } = cachedApp();
  let open = true;
  app.addGuard(() => open);
  let seen = 0;
  app.use((request, next) => {
    seen++;
    return next(request);
  });
  app.get("/", () => "x");
  await get("/");
  expect((await get("/")).outcome).toBe("HIT");
  open = false;
  const denied = await get("/");
  expect([denied.status, denied.outcome, seen]).toEqual([403, null, 3]);
});

test("endpoints of features are never cached", async () => {
  for (const exempt of [[], ["limits"], ["guards", "telemetry"]] as const) {
    let calls = 0;
    const probe = {
      name: "probe",
      install: (host: Host) => {
        host.http.route("GET", "/own", () => `${++calls}`, { exempt });
        return {};
      },
    };
    const app = new (App.with(caching, probe))().enableCaching();
    await app.fetch(new Request("http://localhost/own"));
    const reply = await app.fetch(new Request("http://localhost/own"));
    expect([await reply.text(), reply.headers.get("x-cache")]).toEqual(["2", null]);
    await app.stop();
  }
});

test("excludePaths, everything below them, and routes with cache: false are never cached", async () => {
  const { app, get } = cachedApp({ excludePaths: ["/admin"] });
  app.get("/admin", () => "x");
  app.get("/admin/{page}", () => "x");
  app.get("/administrator", () => "x");
  app.get("/off", { cache: false }, () => "x");
  const outcome = async (path: string) => {
    await get(path);
    return (await get(path)).outcome;
  };
  expect([
    await outcome("/admin"),
    await outcome("/admin/a"),
    await outcome("/off"),
    await outcome("/administrator"),
  ]).toEqual(["BYPASS", "BYPASS", "BYPASS", "HIT"]);
});

test("differently encoded paths share an entry, and a file suffix does not make a path cacheable", async () => {
  const { app, get } = cachedApp();
  app.get("/account/{*rest}", { cache: false }, () => "mine");
  app.get("/book", () => "book");
  await get("/book");
  expect((await get("/b%6Fok")).outcome).toBe("HIT");
  await get("/account/x.css");
  expect((await get("/account/x.css")).outcome).toBe("BYPASS");
});

test("a reply with a single-use value is never stored, not even with Cache-Control: public", async () => {
  const { app, get } = cachedApp();
  let calls = 0;
  app.get("/", { cache: { shared: true } }, (request) => {
    request.context.set(SingleUse, true);
    return Response.text(`${++calls}`, { headers: { "cache-control": "public, max-age=100" } });
  });
  const seen = [await get("/"), await get("/")].map(({ text, outcome }) => [text, outcome]);
  expect(seen).toEqual([
    ["1", "MISS"],
    ["2", "MISS"],
  ]);
});

test("an error of the handler is not stored", async () => {
  const { app, get } = cachedApp();
  let calls = 0;
  app.get("/", () => {
    if (++calls === 1) throw new Error("once");
    return "fine";
  });
  expect((await get("/")).status).toBe(500);
  expect((await get("/")).text).toBe("fine");
});
