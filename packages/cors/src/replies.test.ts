// oxlint-disable jest/no-standalone-expect -- eachClient registers the tests
import { App, HttpError, PayloadTooLargeError, RateLimitError, Response } from "@framework/core";
import { eachClient, socketClient, testClient, type TestReply } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { cors } from "./cors.ts";

const listed = "https://app.example";
const unlisted = "https://evil.example";

async function* chunks() {
  yield "one";
  yield "two";
}

const makeApp = () => {
  const app = new (App.with(cors))().enableCors([listed], { credentials: true, exposeHeaders: ["X-Total"] });
  app.get("/200", () => ({ ok: true }));
  app.get("/204", () => null);
  app.get("/304", () => new Response(null, { status: 304, headers: { etag: '"a"' } }));
  app.get("/401", () => {
    throw new HttpError(401, "Authentication required");
  });
  app.get("/403", { guards: [() => false] }, () => "never");
  app.get("/413", () => {
    throw new PayloadTooLargeError(10);
  });
  app.get("/429", () => {
    throw new RateLimitError(7);
  });
  app.get("/500", () => {
    throw new Error("failed");
  });
  app.get("/503", () => {
    throw new HttpError(503, "later");
  });
  app.get("/stream", () => chunks());
  app.get("/own", () =>
    Response.json(1, { headers: { "Access-Control-Allow-Origin": "*", Vary: "Accept" } }),
  );
  return app;
};

const corsFieldsOf = ({ headers }: TestReply) => ({
  origin: headers.get("access-control-allow-origin"),
  credentials: headers.get("access-control-allow-credentials"),
  expose: headers.get("access-control-expose-headers"),
  vary: headers.get("vary"),
});

const open = { origin: listed, credentials: "true", expose: "X-Total", vary: "Origin" };
const closed = { origin: null, credentials: null, expose: null, vary: "Origin" };

/** Adds `Accept` to `Vary` for the path of an error, whose body depends on it. */
const expectedFor = (path: string, fields: typeof open | typeof closed) =>
  /^\/(?:[45]|%)/.test(path) ? { ...fields, vary: "Accept, Origin" } : fields;

const paths = [
  "/200",
  "/204",
  "/304",
  "/401",
  "/403",
  "/413",
  "/429",
  "/500",
  "/503",
  "/stream",
  "/404",
  "/%zz",
];

eachClient(test, makeApp, {
  "every reply to a listed origin allows it, including errors": async (client) => {
    for (const path of paths) {
      const reply = await client.get(path, { headers: { origin: listed } });
      expect([path, corsFieldsOf(reply)]).toEqual([path, expectedFor(path, open)]);
    }
    const refused = await client.post("/200", { headers: { origin: listed } });
    expect([refused.status, corsFieldsOf(refused)]).toEqual([405, expectedFor("/405", open)]);
    expect(corsFieldsOf(await client.head("/200", { headers: { origin: listed } }))).toEqual(open);
  },
  "a reply to an unlisted origin has no Access-Control fields": async (client) => {
    for (const path of paths) {
      const reply = await client.get(path, { headers: { origin: unlisted } });
      expect([path, corsFieldsOf(reply)]).toEqual([path, expectedFor(path, closed)]);
    }
  },
  "a reply to a request without an origin has Vary: Origin": async (client) => {
    for (const path of paths)
      expect([path, corsFieldsOf(await client.get(path))]).toEqual([path, expectedFor(path, closed)]);
  },
  "the configuration overrides the fields of a handler, and keeps its Vary": async (client) => {
    expect(corsFieldsOf(await client.get("/own", { headers: { origin: unlisted } }))).toEqual({
      ...closed,
      vary: "Accept, Origin",
    });
    expect(corsFieldsOf(await client.get("/own", { headers: { origin: listed } }))).toEqual({
      ...open,
      vary: "Accept, Origin",
    });
  },
});

test("fields that a handler exposes are exposed in addition to those of the configuration", async () => {
  const app = makeApp();
  app.get("/page", () => Response.json([], { headers: { "Access-Control-Expose-Headers": "X-Page" } }));
  await using client = testClient(app);
  const reply = await client.get("/page", { headers: { origin: listed } });
  expect(corsFieldsOf(reply)).toEqual({ ...open, expose: "X-Page, X-Total" });
});

test("without credentials a handler cannot allow them, not even for a listed origin", async () => {
  const app = new (App.with(cors))().enableCors([listed]);
  app.get("/", () => Response.json(1, { headers: { "Access-Control-Allow-Credentials": "true" } }));
  await using client = testClient(app);
  const reply = await client.get("/", { headers: { origin: listed } });
  expect(corsFieldsOf(reply)).toEqual({ ...open, credentials: null, expose: null });
});

test("every origin is allowed by default, without Vary", async () => {
  const app = new (App.with(cors))().enableCors();
  app.get("/", () => 1);
  await using client = testClient(app);
  for (const headers of [{ origin: unlisted }, { origin: "null" }, {}]) {
    expect(corsFieldsOf(await client.get("/", { headers }))).toEqual({
      origin: "*",
      credentials: null,
      expose: null,
      vary: null,
    });
  }
});

test("opaque origins are allowed only if null is listed", async () => {
  const app = new (App.with(cors))().enableCors(["null"]);
  app.get("/", () => 1);
  await using client = testClient(app);
  expect(corsFieldsOf(await client.get("/", { headers: { origin: "null" } })).origin).toBe("null");
  expect(corsFieldsOf(await client.get("/", { headers: { origin: listed } })).origin).toBeNull();
});

test.each(["fast", "node"] as const)(
  "the 431 of a request with too many fields has CORS fields, on the %s transport",
  async (transport) => {
    await using client = socketClient(makeApp(), { transport });
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`x-${index}`, "1"]));
    const reply = await client.get("/200", { headers: { ...many, origin: listed } });
    expect([
      reply.status,
      reply.headers.get("access-control-allow-origin"),
      reply.headers.get("vary"),
    ]).toEqual([431, listed, "Accept, Origin"]);
    const preflight = { ...many, origin: listed, "access-control-request-method": "GET" };
    expect((await client.options("/200", { headers: preflight })).status).toBe(431);
  },
);
