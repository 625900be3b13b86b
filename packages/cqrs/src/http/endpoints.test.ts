import { App } from "@framework/core";
import { AuthenticatedGuard, JwtAuth, JwtClaims } from "@framework/auth";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { openapi } from "@framework/openapi";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { add, TABLE } from "../counters.test-kit.ts";
import { command, cqrs, query } from "../index.ts";
import { endpointApp, Take, Total } from "./endpoint-app.test-kit.ts";

test("the endpoint of a command is a POST whose body and path parameters are its input", async () => {
  await using client = testClient(endpointApp());
  const reply = await client.post("/counters/a/takings", { json: { amount: 2 } });
  expect([reply.status, reply.json()]).toEqual([201, { total: -2 }]);
});

test("path parameters replace members of the body", async () => {
  await using client = testClient(endpointApp());
  await client.post("/counters/a/takings", { json: { name: "b", amount: 2 } });
  expect((await client.get("/counters/a")).json()).toBe(-2);
  expect((await client.get("/counters/b")).status).toBe(404);
});

test("the endpoint of a query is a GET whose parameters are its input", async () => {
  await using client = testClient(endpointApp());
  await client.post("/counters/a/takings", { json: { amount: 2 } });
  expect((await client.get("/counters/a", { query: { plus: 10 } })).json()).toBe(8);
});

test("a single value in the URL is accepted for a list", async () => {
  const Tagged = query("Tagged", {
    input: z.object({
      kind: z.string(),
      tags: z.array(z.string()).default([]),
      limit: z.string().optional(),
    }),
    output: z.array(z.string()),
    http: { path: "/kinds/{kind}" },
  });
  const app = endpointApp();
  app.cqrs.handle(Tagged, ({ tags }) => tags);
  await using client = testClient(app);
  const replies = await Promise.all(
    ["?tags=a", "?tags=a&tags=b", "", "?tags=a&limit=1&limit=2"].map((text) => client.get(`/kinds/x${text}`)),
  );
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 422]);
  expect(replies.slice(0, 3).map((reply) => reply.json())).toEqual([["a"], ["a", "b"], []]);
  expect(replies[3]?.json()).toMatchObject({ errors: [{ loc: ["query", "limit"] }] });
});

test("validation errors name the source of each member; rejections and other media types get their own status", async () => {
  await using client = testClient(endpointApp());
  const invalid = await client.post("/counters/a/takings", { json: { amount: "two" } });
  expect(invalid.json()).toMatchObject({
    status: 422,
    error: "Validation Failed",
    errors: [{ loc: ["body", "amount"], received: "string" }],
  });
  const noObject = await client.post("/counters/a/takings", { json: [] });
  expect(noObject.json()).toMatchObject({ status: 422, errors: [{ loc: ["body"] }] });
  const badQuery = await client.get("/counters/a", { query: { plus: "ten" } });
  expect(badQuery.json()).toMatchObject({ status: 422, errors: [{ loc: ["query", "plus"] }] });
  const rejected = await client.post("/counters/a/takings", { json: { amount: 101 } });
  expect(rejected.json()).toEqual({ error: "Conflict", detail: "The counter is empty", status: 409 });
  const text = await client.post("/counters/a/takings", {
    body: "x",
    headers: { "content-type": "text/plain" },
  });
  expect(text.status).toBe(415);
});

test("guards of a command and of its endpoint get the request, before the input is validated", async () => {
  const seen: string[] = [];
  const note = (name: string) => (invocation: { readonly kind: string }) =>
    void seen.push(`${name} ${invocation.kind}`);
  const Guarded = command("Guarded", {
    input: z.number(),
    guards: [note("command"), new AuthenticatedGuard()],
    http: { path: "/guarded", guards: [note("endpoint")] },
  });
  const app = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  const auth = new JwtAuth({ secret: "0123456789abcdef0123456789abcdef" }).skipPath("/open");
  app.use(auth);
  app.get("/open/token", () => auth.createToken({ sub: "ann" }));
  let caller: unknown;
  app.cqrs.handle(Guarded, (_input, { invocation }) => void (caller = invocation.context.get("jwt_claims")));
  await using client = testClient(app);
  expect((await client.post("/guarded", { json: "no number" })).status).toBe(401);
  const headers = { authorization: `Bearer ${(await client.get("/open/token")).text}` };
  expect((await client.post("/guarded", { json: "no number", headers })).status).toBe(422);
  expect(seen).toEqual(["command http", "endpoint http"]);
  expect((await client.post("/guarded", { json: 7, headers })).status).toBe(204);
  expect(caller).toMatchObject({ sub: "ann" });
});

test("middleware of a handler runs only for its endpoint, and the API document lists its security", async () => {
  const app = new (App.with(database, durable, cqrs, openapi))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs()
    .enableOpenapi();
  app.onEvent("startup", async () => void (await app.db.execute(TABLE)));
  const auth = new JwtAuth({ secret: "0123456789abcdef0123456789abcdef" });
  const callers: unknown[] = [];
  app.cqrs
    .handle(Take, { use: [auth] }, async ({ name, amount }, { tx, invocation }) => {
      callers.push(invocation.context.get(JwtClaims)?.sub);
      return { total: await add(tx, name, -amount) };
    })
    .handle(Total, () => 0);
  await using client = testClient(app);
  const take = (headers = {}) => client.post("/counters/a/takings", { json: { amount: 1 }, headers });
  expect((await take()).status).toBe(401);
  const token = await auth.createToken({ sub: "ann" });
  expect((await take({ authorization: `Bearer ${token}` })).status).toBe(201);
  expect(callers).toEqual(["ann"]);
  expect((await client.get("/counters/a")).status).toBe(200);
  const { paths } = (await client.get("/openapi.json")).json<any>();
  expect(paths["/counters/{name}/takings"].post.security).toHaveLength(1);
  expect(paths["/counters/{name}"].get.security).toBe(undefined);
});

test("middleware for a command without an endpoint is a start error", async () => {
  const Silent = command("Silent", { input: z.number() });
  const app = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  app.cqrs.handle(Silent, { use: [(request, next) => next(request)] }, () => {});
  await expect(app.start()).rejects.toThrow("command Silent has no endpoint for the middleware of `use`");
});

test("a result schema may transform the reply", async () => {
  const Day = query("Day", {
    input: z.object({}),
    output: z.date().transform((day) => day.getUTCFullYear()),
    http: { path: "/day" },
  });
  const app = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  app.cqrs.handle(Day, () => new Date(0));
  await using client = testClient(app);
  expect((await client.get("/day")).json()).toBe(1970);
});

test("an unknown route option of an endpoint is a start error", async () => {
  const Bad = query("Bad", {
    input: z.object({}),
    output: z.number(),
    http: { path: "/bad", routeOptions: { hiden: true } },
  });
  const app = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  app.cqrs.handle(Bad, () => 1);
  await expect(app.start()).rejects.toThrow("hiden");
});
