// oxlint-disable jest/no-standalone-expect -- eachClient registers the tests
import { App, Blueprint, NotFoundError, Response } from "@framework/core";
import { eachClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { deprecation, type DeprecationRouteOptions } from "./index.ts";

class Api extends App.with(deprecation) {}

const old = { deprecated: "2026-11-01", sunset: "2027-11-01T12:00:00+02:00", successor: "/v2/books/{id}" };
const expected = ["@1793491200", "Mon, 01 Nov 2027 10:00:00 GMT", '</v2/books/7>; rel="successor-version"'];

const fieldsOf = ({ headers }: { readonly headers: Pick<Headers, "get"> }) =>
  ["deprecation", "sunset", "link"].map((name) => headers.get(name));

const getFields = async (app: App, path: string) =>
  fieldsOf(await app.fetch(new Request(`http://localhost${path}`)));

const makeApp = () => {
  const app = new Api().enableDeprecation();
  app.get("/v1/books/{id}", old, () => "book");
  app.get("/v1/lost/{id}", old, () => {
    throw new NotFoundError("There is no such book");
  });
  app.get("/v1/broken/{id}", old, () => {
    throw new Error("failed");
  });
  app.get("/v1/closed/{id}", { ...old, guards: [() => false] }, () => "never");
  app.get("/v2/books/{id}", () => "book");
  return app;
};

eachClient(test, makeApp, {
  "every reply of a deprecated route has the fields: success, refusals and errors": async (client) => {
    for (const [path, status] of [
      ["/v1/books/7", 200],
      ["/v1/lost/7", 404],
      ["/v1/broken/7", 500],
      ["/v1/closed/7", 403],
    ] as const) {
      const reply = await client.get(path);
      expect([path, reply.status, ...fieldsOf(reply)]).toEqual([path, status, ...expected]);
    }
  },
  "replies of other routes and of unknown paths have none of the fields": async (client) => {
    for (const path of ["/v2/books/7", "/nowhere", "/%zz"])
      expect(fieldsOf(await client.get(path))).toEqual([null, null, null]);
  },
  "a reply to HEAD has the fields of GET": async (client) => {
    expect(fieldsOf(await client.request("HEAD", "/v1/books/7"))).toEqual(expected);
  },
});

test("a reply of middleware before the route has the fields", async () => {
  const app = makeApp().use(() => new Response("busy", { status: 503 }));
  expect(await getFields(app, "/v1/books/7")).toEqual(expected);
});

test("a blueprint's options apply to its routes, and a route may replace or disable them", async () => {
  const v1 = new (Blueprint.with(deprecation))("/v1", {
    deprecated: true,
    sunset: "2027-11-01",
    successor: "/v2",
  });
  v1.get("/books", () => "books");
  v1.get("/authors", { successor: "/v2/people", sunset: false }, () => "authors");
  v1.get("/health", { deprecated: false }, () => "well");
  const app = new Api().enableDeprecation({ since: "2026-11-01", policy: "https://api.example/old" });
  app.registerBlueprint(v1);
  const policy = '<https://api.example/old>; rel="deprecation"';
  const sunset = "Mon, 01 Nov 2027 00:00:00 GMT";
  expect(await getFields(app, "/v1/books")).toEqual([
    "@1793491200",
    sunset,
    `</v2>; rel="successor-version", ${policy}`,
  ]);
  expect(await getFields(app, "/v1/authors")).toEqual([
    "@1793491200",
    null,
    `</v2/people>; rel="successor-version", ${policy}`,
  ]);
  expect(await getFields(app, "/v1/health")).toEqual([null, null, null]);
});

test("a route with deprecated: false ignores its blueprint's successor and sunset", async () => {
  const v1 = new (Blueprint.with(deprecation))("/v1/{tenant}", {
    deprecated: "2026-11-01",
    sunset: "2027-11-01",
    successor: "/v2/{tenant}",
  });
  v1.get("/health", { deprecated: false }, () => "well");
  v1.get("/ready", { deprecated: false, sunset: false }, () => "ready");
  const app = new Api().enableDeprecation();
  app.registerBlueprint(v1);
  for (const path of ["/v1/a/health", "/v1/a/ready"])
    expect(await getFields(app, path)).toEqual([null, null, null]);
});

test("deprecated: false with a successor on the same route is a start error", async () => {
  const v1 = new (Blueprint.with(deprecation))("/v1", { deprecated: "2026-11-01", successor: "/v2" });
  v1.get("/health", { deprecated: false, successor: "/v2/health" }, () => "well");
  v1.get("/ready", { deprecated: false, successor: false }, () => "ready");
  const app = new Api().enableDeprecation().registerBlueprint(v1);
  app.get("/a", { deprecated: false, successor: "no path" }, () => "a");
  app.get("/b", { deprecated: false, successor: "/v2/b" }, () => "b");
  const error = await app.start().catch((thrown: unknown) => thrown);
  expect((error as Error).message.replaceAll(/ \(at .*?\)/g, "").split("\n")).toEqual([
    "CORE_BAD_ROUTE: GET /v1/health: successor: has no effect with deprecated: false: remove one of the two",
    'CORE_BAD_ROUTE: GET /a: successor: must be a path such as "/v2/books/{id}" or an http(s) URL, in ASCII without spaces',
    "CORE_BAD_ROUTE: GET /b: successor: has no effect with deprecated: false: remove one of the two",
  ]);
});

test("fields and links set by the handler are kept", async () => {
  const app = new Api().enableDeprecation();
  const headers = { deprecation: "@1", sunset: "Thu, 01 Jan 2026 00:00:00 GMT", link: '</>; rel="up"' };
  app.get(
    "/a",
    { deprecated: "2026-11-01", sunset: "2027-11-01", successor: "/b" },
    () => new Response("", { headers }),
  );
  expect(await getFields(app, "/a")).toEqual([
    "@1",
    headers.sunset,
    '</>; rel="up", </b>; rel="successor-version"',
  ]);
});

test("a path with an empty first segment does not link to another host", async () => {
  const app = new Api().enableDeprecation();
  app.get("/v1/{*rest}", { deprecated: "2026-11-01", successor: "/{*rest}" }, () => 1);
  const reply = await app.fetch(new Request("http://localhost/v1//evil.test/x"));
  const [, target = ""] = /^<(.*)>; rel="successor-version"$/.exec(reply.headers.get("link") ?? "") ?? [];
  expect(new URL(target, "http://localhost/v1/").href).toBe("http://localhost//evil.test/x");
});

/** Any character: fast-check's unit `binary` first builds a map of all of them, which takes a second. */
const character = fc.nat({ max: 0x10f7ff }).map((at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800));

test("a request path can neither end the link nor add a field", async () => {
  const app = new Api().enableDeprecation();
  app.get("/v1/{id}/{*rest}", { deprecated: "2026-11-01", successor: "/v2/{id}/{*rest}" }, () => 1);
  await app.start();
  let links = 0;
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: character, minLength: 1, maxLength: 20 }), async (text) => {
      const reply = await app.fetch(
        new Request(`http://localhost/v1/${encodeURIComponent(text.toWellFormed())}/x/y`),
      );
      if (reply.status === 400) return; // control characters and dots in paths
      links++;
      expect(reply.headers.get("link")).toMatch(/^<\/v2\/[\w\-.~!*'()%]+\/x\/y>; rel="successor-version"$/);
    }),
    { numRuns: 300 },
  );
  expect(links).toBeGreaterThan(0);
});

const startErrorOf = async (options: DeprecationRouteOptions, config = {}): Promise<string> => {
  const app = new Api().enableDeprecation(config);
  app.get("/v1/books/{id}", options, () => 1);
  const error: unknown = await app.start().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error === null ? "none" : String((error as Error).message);
};

test.each<[string, DeprecationRouteOptions, string]>([
  ["a day that does not exist", { deprecated: "2026-02-30" }, "deprecated: must be true, false, a day"],
  ["a month that does not exist", { deprecated: "2026-13-01" }, "deprecated: must be true"],
  ["a time without a zone", { sunset: "2026-11-01T12:00:00" }, "sunset: must be a day"],
  ["another notation", { sunset: "1 November 2026" }, "sunset: must be a day"],
  ["true without a date", { deprecated: true }, "enableDeprecation({ since })"],
  [
    "a sunset before the deprecation",
    { deprecated: "2026-11-01", sunset: "2026-10-31" },
    "sunset: must not be before the route is deprecated",
  ],
  [
    "a sunset of a route that is not deprecated",
    { deprecated: false, sunset: "2027-11-01" },
    "sunset: has no effect with deprecated: false",
  ],
  ["a successor of a current route", { successor: "/v2" }, "needs the option deprecated or sunset"],
  [
    "an unknown parameter",
    { deprecated: "2026-11-01", successor: "/v2/{isbn}" },
    "{isbn}, which is not a parameter",
  ],
  [
    "a successor that ends the link",
    { deprecated: "2026-11-01", successor: "/v2>" },
    "successor: must be a path",
  ],
  [
    "a successor with an open brace",
    { deprecated: "2026-11-01", successor: "/v2/{id" },
    "successor: must be a path",
  ],
  [
    "a successor with nested braces",
    { deprecated: "2026-11-01", successor: "/v2/{{id}}" },
    "successor: must be a path",
  ],
  [
    "a path with another host",
    { deprecated: "2026-11-01", successor: "//evil.example" },
    "successor: must be a path",
  ],
  [
    "another scheme",
    { deprecated: "2026-11-01", successor: "javascript:alert(1)" },
    "successor: must be a path",
  ],
])("%s is a start error", async (_name, options, message) => {
  const found = await startErrorOf(options);
  expect(found).toContain("GET /v1/books/{id}");
  expect(found).toContain(message);
});

test.each([
  [{ since: "soon" }, "DeprecationConfig.since"],
  [{ policy: "our wiki" }, "DeprecationConfig.policy"],
  [{ maxCallers: -1 }, "DeprecationConfig.maxCallers"],
])("the option %j is a start error", async (config, message) => {
  expect(await startErrorOf({}, config)).toContain(message);
});

test.each<DeprecationRouteOptions>([
  { sunset: "2027-11-01" },
  { deprecated: "2028-02-29" },
  { deprecated: "2026-11-01", sunset: "2026-11-01", successor: "https://api.example/v2?id={id}" },
])("%j is valid", async (options) => {
  expect(await startErrorOf(options)).toBe("none");
});

test("options of a disabled feature are a start error", async () => {
  const app = new Api();
  app.get("/a", { deprecated: "2026-11-01" }, () => 1);
  await expect(app.start()).rejects.toThrow("does nothing without enableDeprecation");
});
