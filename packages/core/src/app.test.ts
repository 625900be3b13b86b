import { expect, test } from "@jest/globals";
import { send, startQuietly } from "./app-requests.test-kit.ts";
import { App, HttpError, Response } from "./index.ts";

test("a route replies with its handler's value as JSON", async () => {
  const app = new App();
  app.get("/books/{id}", (request) => ({ id: request.params.id, query: request.query.get("q") }));
  const reply = await send(app, "/books/7?q=a+b");
  expect(reply.status).toBe(200);
  expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
  expect(reply.json()).toEqual({ id: "7", query: "a b" });
});

test.each([
  ["GET", "get"],
  ["POST", "post"],
  ["PUT", "put"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
  ["OPTIONS", "options"],
  ["QUERY", "query"],
] as const)("app registers a %s route with its method %s", async (method, register) => {
  const app = new App();
  app[register]("/x", (request) => `by ${request.method}`);
  expect((await send(app, "/x", { method })).text).toBe(`by ${method}`);
});

test("route registers every given method, GET by default", async () => {
  const app = new App();
  app.route("/one", {}, () => "one");
  app.route("/two", { methods: ["PUT", "PATCH"] }, (request) => request.method);
  expect((await send(app, "/one")).text).toBe("one");
  for (const method of ["PUT", "PATCH"]) expect((await send(app, "/two", { method })).text).toBe(method);
  expect((await send(app, "/two")).status).toBe(405);
});

test("HEAD runs the GET route and gets its Content-Length without a body", async () => {
  const app = new App();
  app.get("/x", () => "hello");
  const reply = await send(app, "/x", { method: "HEAD" });
  expect([reply.status, reply.text, reply.headers.get("content-length")]).toEqual([200, "", "5"]);
});

test("a HEAD route takes precedence over the GET route", async () => {
  const app = new App();
  app.get("/x", () => "hello");
  app.head("/x", () => new Response(null, { headers: { "x-own": "yes" } }));
  expect((await send(app, "/x", { method: "HEAD" })).headers.get("x-own")).toBe("yes");
});

test("OPTIONS without a route gets 204 with Allow", async () => {
  const app = new App();
  app.get("/x", () => "hello");
  app.post("/x", () => "hello");
  const reply = await send(app, "/x", { method: "OPTIONS" });
  expect([reply.status, reply.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS, POST"]);
});

test("a path with routes for other methods gets 405 with Allow", async () => {
  const app = new App();
  app.get("/x", () => "hello");
  const reply = await send(app, "/x", { method: "DELETE" });
  expect(reply.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  expect(reply.json()).toMatchObject({ error: "Method Not Allowed", status: 405 });
});

test("an unknown path gets 404, with similar routes in development only", async () => {
  const build = () => {
    const app = new App();
    app.get("/books/{id}", () => "book");
    return app;
  };
  const [development, production] = [build(), build()];
  await startQuietly(development);
  await startQuietly(production, "production");
  expect((await send(development, "/book/1")).json()).toEqual({
    error: "Not Found",
    detail: "No route for GET /book/1",
    status: 404,
    path: "/book/1",
    suggestions: ["GET /books/{id}"],
  });
  expect((await send(production, "/book/1")).json()).not.toHaveProperty("suggestions");
});

test("an unknown method gets 501", async () => {
  expect((await send(new App(), "/x", { method: "BREW" })).status).toBe(501);
});

test("an undecodable path gets 400 with the standard error body", async () => {
  const reply = await send(new App(), "/%zz");
  expect(reply.json()).toMatchObject({ error: "Bad Request", status: 400 });
});

test.each([
  ["object", () => ({ a: 1 }), 200, '{"a":1}'],
  ["array", () => [1], 200, "[1]"],
  ["number", () => 7, 200, "7"],
  ["boolean", () => false, 200, "false"],
  ["string", () => "<b>", 200, "<b>"],
  ["null", () => null, 204, ""],
  ["undefined", () => undefined, 204, ""],
  ["promise", async () => ({ a: 1 }), 200, '{"a":1}'],
  ["Response", () => new Response("made", { status: 201 }), 201, "made"],
  ["web Response", () => new globalThis.Response("web", { status: 202 }), 202, "web"],
  ["bytes", () => new TextEncoder().encode("bytes"), 200, "bytes"],
] as [string, () => unknown, number, string][])(
  "a handler may return: %s",
  async (_name, handler, status, text) => {
    const app = new App();
    app.get("/x", handler);
    await startQuietly(app);
    const reply = await send(app, "/x");
    expect([reply.status, reply.text]).toEqual([status, text]);
  },
);

test("an undefined return value is logged once per route", async () => {
  const app = new App();
  app.get("/x", () => undefined);
  const lines = await startQuietly(app);
  await send(app, "/x");
  await send(app, "/x");
  expect(lines.filter((line) => line.includes("GET /x returned undefined"))).toHaveLength(1);
});

test("a value that JSON cannot represent results in a 500, and the log names its place", async () => {
  const app = new App();
  app.get("/x", () => ({ books: [{ id: 1n }] }));
  const lines = await startQuietly(app, "production");
  expect((await send(app, "/x")).json()).toEqual({
    error: "Internal Server Error",
    detail: "An unexpected error occurred",
    status: 500,
  });
  expect(lines.join("\n")).toContain("books[0].id");
});

test.each([
  ["an Error", new Error("canary")],
  ["a string", "canary"],
  ["null", null],
  ["an object", { canary: true }],
  ["undefined", undefined],
])(
  "any thrown or rejected value becomes a 500 without its message in production: %s",
  async (_name, thrown) => {
    for (const async of [false, true]) {
      const app = new App();
      app.get("/x", () => {
        if (async) return Promise.reject(thrown as Error);
        throw thrown;
      });
      await startQuietly(app, "production");
      const reply = await send(app, "/x");
      expect(reply.status).toBe(500);
      expect(reply.text).not.toContain("canary");
    }
  },
);

test("an HttpError whose status is not an integer from 400 to 599 results in a 500", async () => {
  const app = new App();
  app.get("/{status}", (request) => {
    throw new HttpError(Number(request.params.status), "x");
  });
  await startQuietly(app, "production");
  for (const status of ["999", "600", "200", "399", "400.5"])
    expect((await send(app, `/${status}`)).status).toBe(500);
});

test.each([
  ["a Map", () => new Map([["a", 1]])],
  ["a Set", () => new Set([1])],
  [
    "a generator",
    function* () {
      yield 1;
    },
  ],
] as [string, () => unknown][])(
  "%s is not a valid reply, because JSON would lose its content",
  async (_name, handler) => {
    const app = new App();
    app.get("/x", handler);
    await startQuietly(app, "production");
    expect((await send(app, "/x")).status).toBe(500);
  },
);

test("a stopped app replies 503, and stopping an app that never started does nothing", async () => {
  const stopped: string[] = [];
  const app = new App().onEvent("shutdown", () => void stopped.push("down"));
  app.get("/x", () => "x");
  await app.stop();
  expect((await send(app, "/x")).status).toBe(200);
  await app.stop();
  expect((await send(app, "/x")).status).toBe(503);
  expect(stopped).toEqual(["down"]);
});
