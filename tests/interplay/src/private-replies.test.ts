import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anyOf, ApiKeyAuth, AuthenticatedGuard, BasicAuth, JwtAuth, User } from "@framework/auth";
import { caching } from "@framework/cache";
import { App, NotFoundError, Response } from "@framework/core";
import { cqrs, query } from "@framework/cqrs";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { etag } from "@framework/etag";
import { csrf } from "@framework/security";
import { staticFiles } from "@framework/static-files";
import { testClient } from "@framework/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { z } from "zod";

const secret = "a secret that is long enough for a test";
const jwt = new JwtAuth({ secret, cookieName: "token" });
const apiKeys = { "the-key": "billing" };

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "private-"));
  await writeFile(join(directory, "report.txt"), "of one customer");
});
afterAll(() => rm(directory, { recursive: true }));

/** Creates an app with a file, pages for one caller, and errors; with or without the reply cache. */
const makeApp = (cached: boolean) => {
  const app = new (App.with(caching, staticFiles, database, durable, cqrs))()
    .enableStaticFiles({ directory, prefix: "/files" })
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  const anything = { input: z.object({}), output: z.string() };
  const Mine = query("Mine", { ...anything, http: { path: "/query" } });
  app.cqrs.handle(Mine, () => "mine");
  if (cached) app.enableCaching();
  app.get("/plain", () => "mine");
  app.get("/aged", () => new Response("mine", { headers: { "cache-control": "max-age=60" } }));
  app.get("/part", () => new Response("x", { headers: { "cache-control": 'private="x-name", max-age=60' } }));
  app.get(
    "/awaited",
    async () => new Response("mine", { headers: { expires: "Thu, 01 Jan 2099 00:00:00 GMT" } }),
  );
  app.get("/lost", () => {
    throw new NotFoundError("not yours", { headers: { "cache-control": "max-age=60" } });
  });
  app.get("/public", () => new Response("all", { headers: { "cache-control": "public, max-age=60" } }));
  app.get("/shared", () => new Response("all", { headers: { "cache-control": "s-maxage=60" } }));
  app.get("/secret", () => new Response("mine", { headers: { "cache-control": "no-store" } }));
  return app;
};

const privatePaths = ["/query", "/plain", "/aged", "/part", "/awaited", "/lost", "/files/report.txt"];
const explicitPaths = ["/public", "/shared", "/secret"];

const authentications: readonly {
  readonly name: string;
  readonly add: (app: ReturnType<typeof makeApp>) => void;
  readonly send: () => Promise<Record<string, string>>;
  readonly vary: readonly string[];
}[] = [
  {
    name: "an API key",
    add: (app) => app.use(new ApiKeyAuth(apiKeys)),
    send: async () => ({ "x-api-key": "the-key" }),
    vary: ["X-API-Key"],
  },
  {
    name: "a token in a header",
    add: (app) => app.use(jwt),
    send: async () => ({ authorization: `Bearer ${await jwt.createToken({ sub: "ann" })}` }),
    vary: ["Authorization", "Cookie"],
  },
  {
    name: "a token in a cookie",
    add: (app) => app.use(jwt),
    send: async () => ({ cookie: `token=${await jwt.createToken({ sub: "ann" })}` }),
    vary: ["Authorization", "Cookie"],
  },
  {
    name: "a password",
    add: (app) => app.use(new BasicAuth(() => true)),
    send: async () => ({ authorization: `Basic ${btoa("ann:x")}` }),
    vary: ["Authorization"],
  },
  {
    name: "one of two authentications",
    add: (app) => app.use(anyOf(new ApiKeyAuth(apiKeys, "X-Key"), new BasicAuth(() => true))),
    send: async () => ({ authorization: `Basic ${btoa("ann:x")}` }),
    vary: ["X-Key", "Authorization"],
  },
  {
    name: "the program's own middleware",
    add: (app) =>
      app.use(async (request, next) => {
        request.context.set("user", request.cookies.get("sid"));
        return next(request);
      }),
    send: async () => ({ cookie: "sid=ann" }),
    vary: ["Cookie"],
  },
  {
    name: "a guard that reads the principal",
    add: (app) => app.use((request, next) => next(request)).addGuard((request) => request.cookies.has("sid")),
    send: async () => ({ cookie: "sid=ann" }),
    vary: ["Cookie"],
  },
  {
    name: "an authentication guard",
    add: (app) => {
      app.use((request, next) => {
        request.context.set(User, "ann");
        return next(request);
      });
      app.addGuard(new AuthenticatedGuard());
    },
    send: async () => ({}),
    vary: [],
  },
];

test.each(authentications)(
  "a reply that depends on $name is private, and varies by its fields",
  async ({ add, send, vary }) => {
    for (const cached of [false, true]) {
      const app = makeApp(cached);
      add(app);
      await using client = testClient(app);
      await app.start();
      const headers = await send();
      for (const path of [...privatePaths, ...privatePaths]) {
        const { headers: seen } = await client.get(path, { headers });
        const control = seen.get("cache-control") ?? "";
        const names = (seen.get("vary") ?? "").split(", ");
        expect([path, control.split(", ")[0], names.filter((name) => vary.includes(name))]).toEqual([
          path,
          "private",
          vary,
        ]);
        expect([path, /public|s-maxage|private=/.test(control)]).toEqual([path, false]);
      }
      for (const path of [...explicitPaths, ...explicitPaths]) {
        const { headers: seen } = await client.get(path, { headers });
        expect([path, seen.get("cache-control")?.includes("private"), seen.get("vary")]).toEqual([
          path,
          false,
          null,
        ]);
      }
    }
  },
);

test("the 304 of a shared route is as public as its 200", async () => {
  const app = new (App.with(caching, etag))().enableCaching().enableEtag().use(new ApiKeyAuth(apiKeys));
  app.get(
    "/",
    { cache: { shared: true } },
    () => new Response("all", { headers: { "cache-control": "max-age=60" } }),
  );
  await using client = testClient(app);
  // no-store: the reply comes from the handler, and the etag feature compares it
  const headers = { "x-api-key": "the-key", "cache-control": "no-store" };
  const complete = await client.get("/", { headers });
  const unchanged = await client.get("/", { headers: { ...headers, "if-none-match": "*" } });
  const seen = ({ status, headers: fields }: typeof complete) => [
    status,
    fields.get("cache-control"),
    fields.get("vary"),
  ];
  expect([seen(complete), seen(unchanged)]).toEqual([
    [200, "max-age=60", null],
    [304, "max-age=60", null],
  ]);
});

test("a 401 is private and varies by the credentials, and replies of a path without authentication are not private", async () => {
  const app = makeApp(false);
  app.use(new ApiKeyAuth(apiKeys).skipPath("/aged"));
  await using client = testClient(app);
  const refused = await client.get("/plain");
  expect([refused.status, refused.headers.get("cache-control"), refused.headers.get("vary")]).toEqual([
    401,
    "private",
    "Accept, X-API-Key",
  ]);
  expect((await client.get("/aged")).headers.get("cache-control")).toBe("max-age=60");
});

test("a reply to an identified caller is private unless its Cache-Control makes it public", async () => {
  const controls = fc.constantFrom(
    null,
    "max-age=60",
    "no-cache",
    "must-revalidate, max-age=60",
    'private="x-a", max-age=9',
  );
  const ways = fc.constantFrom("key", "cookie", "basic", "handler");
  await fc.assert(
    fc.asyncProperty(
      ways,
      controls,
      fc.boolean(),
      fc.constantFrom(200, 404, 301),
      async (way, control, cached, status) => {
        const app = new (App.with(caching))();
        if (cached) app.enableCaching();
        if (way === "key") app.use(new ApiKeyAuth({ one: "one", two: "two" }));
        if (way === "basic") app.use(new BasicAuth(() => true));
        if (way === "cookie")
          app.use((request, next) => {
            request.context.set(User, request.cookies.get("sid") ?? undefined);
            return next(request);
          });
        app.get("/", (request) => {
          if (way === "handler") request.context.set("user", request.getHeader("x-user"));
          return new Response(way, { status, headers: control === null ? {} : { "cache-control": control } });
        });
        const sent = {
          key: { "x-api-key": "one" },
          cookie: { cookie: "sid=one" },
          basic: { authorization: "Basic YTpi" },
          handler: { "x-user": "one" },
        };
        for (let round = 0; round < 2; round++) {
          const reply = await app.fetch(new Request("http://localhost/", { headers: sent[way] }));
          expect(reply.headers.get("cache-control")?.split(",")[0]).toBe("private");
        }
        await app.stop();
      },
    ),
    { numRuns: 60 },
  );
});

test("a reply of a shared route with a CSRF cookie is private, and later ones are not", async () => {
  const app = new (App.with(caching, csrf))().enableCaching().enableCsrf({ secret });
  app.get("/", { cache: { shared: true } }, () => "for all");
  await using client = testClient(app);
  const first = await client.get("/");
  const cookie = first.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const again = await client.get("/", { headers: { cookie } });
  expect(
    [first, again].map(({ headers }) => [headers.get("cache-control"), headers.has("set-cookie")]),
  ).toEqual([
    ["private, no-cache", true],
    ["no-cache", false],
  ]);
});
