// oxlint-disable jest/no-standalone-expect -- eachClient registers the tests
import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { eachClient, testClient, type TestReply } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { cors } from "./cors.ts";

const origin = "https://app.example";
const preflightHeaders = {
  origin,
  "access-control-request-method": "PUT",
  "access-control-request-headers": "x-any",
};

let reached: string[] = [];

const makeApp = () => {
  reached = [];
  const app = new (App.with(cors))()
    .use((request, next) => {
      reached.push(request.path);
      return next(request);
    })
    .addGuard(() => false)
    .enableCors([origin]);
  app.get("/routed", () => "never");
  app.options("/custom", () => "custom");
  return app;
};

const fields = ({ headers }: TestReply) =>
  Object.fromEntries([...headers].filter(([name]) => /^access-control|vary|allow/.test(name)));

const permissionFields = {
  "access-control-allow-origin": origin,
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS, HEAD",
  "access-control-allow-headers": "Content-Type, Authorization, Accept, Origin, X-Requested-With",
  "access-control-max-age": "86400",
  vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
};

eachClient(test, makeApp, {
  "a preflight gets 204 on any path, before middleware, guards and routes": async (client) => {
    for (const path of ["/routed", "/nowhere", "/custom", "/%zz"]) {
      const reply = await client.options(path, { headers: preflightHeaders });
      expect([path, reply.status, reply.text, fields(reply)]).toEqual([path, 204, "", permissionFields]);
    }
    expect(reached).toEqual([]);
  },
  "a preflight of another origin gets no permissions": async (client) => {
    const reply = await client.options("/routed", {
      headers: { ...preflightHeaders, origin: "https://evil.example" },
    });
    expect([reply.status, fields(reply), reached]).toEqual([204, { vary: permissionFields.vary }, []]);
  },
  "a plain OPTIONS request reaches the app": async (client) => {
    for (const headers of [{}, { origin }, { "access-control-request-method": "PUT" }]) {
      const reply = await client.options("/nowhere", { headers });
      expect(reply.status).toBe(404);
    }
    expect((await client.get("/routed", { headers: preflightHeaders })).status).toBe(403);
    expect(reached).toEqual(["/nowhere", "/nowhere", "/nowhere", "/routed"]);
  },
});

test("a preflight's reply has the configured permissions", async () => {
  const app = new (App.with(cors))().enableCors([origin], {
    methods: ["GET", "QUERY"],
    headers: ["X-Api-Key"],
    maxAge: 0,
    credentials: true,
  });
  await using client = testClient(app);
  expect(fields(await client.options("/", { headers: preflightHeaders }))).toEqual({
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": "GET, QUERY",
    "access-control-allow-headers": "X-Api-Key",
    "access-control-max-age": "0",
    vary: permissionFields.vary,
  });
});

test("a preflight's reply allows * by default", async () => {
  const app = new (App.with(cors))().enableCors();
  await using client = testClient(app);
  expect(fields(await client.options("/", { headers: preflightHeaders }))).toEqual({
    ...permissionFields,
    "access-control-allow-origin": "*",
    vary: "Access-Control-Request-Method, Access-Control-Request-Headers",
  });
});

test("a list of 1,000 requested fields does not change the reply", async () => {
  await using client = testClient(makeApp());
  const many = Array.from({ length: 1000 }, (_, index) => `x-${index}`).join(", ");
  const reply = await client.options("/", {
    headers: { ...preflightHeaders, "access-control-request-headers": many },
  });
  expect(fields(reply)).toEqual(permissionFields);
});

test("fields of features are allowed and exposed in addition to the configured ones, each name once", async () => {
  const keyFeature: Feature<object> = {
    name: "keys",
    install: (host) => {
      const field = { description: "A key.", type: "string" } as const;
      host.http.usesFields(({ path }) =>
        path === "/keyed"
          ? [
              { ...field, name: "X-Key", in: "request" },
              { ...field, name: "Accept", in: "request" },
              { ...field, name: "X-Replayed", in: "reply" },
              { ...field, name: "Retry-After", in: "refusal" },
            ]
          : [],
      );
      return {};
    },
  };
  const permissions = async (headers: readonly string[], paths: readonly string[]) => {
    const config = { headers, exposeHeaders: ["X-Total"] };
    const app = new (App.with(cors, keyFeature))().enableCors([origin], config);
    for (const path of paths) app.get(path, () => 1);
    await using client = testClient(app);
    const preflight = await client.options("/", { headers: preflightHeaders });
    const reply = await client.get("/", { headers: { origin } });
    return [
      preflight.headers.get("access-control-allow-headers"),
      reply.headers.get("access-control-expose-headers"),
    ];
  };
  expect(await permissions(["accept"], ["/keyed", "/other"])).toEqual([
    "Accept, X-Key",
    "X-Total, Retry-After, X-Replayed",
  ]);
  expect(await permissions(["*"], ["/keyed"])).toEqual(["*", "X-Total, Retry-After, X-Replayed"]);
  expect(await permissions(["accept"], ["/other"])).toEqual(["accept", "X-Total"]);
});
