import { App, type StandardSchema } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { cors } from "@framework/cors";
import { eventSourcing } from "@framework/event-sourcing";
import { openapi } from "@framework/openapi";
import { contractTest, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { type Command, command, cqrs, query } from "../index.ts";
import { endpointApp, Take, Total } from "./endpoint-app.test-kit.ts";

test("the API document lists inputs, results and the replies of the pipeline", async () => {
  await using client = testClient(endpointApp());
  const document = (await client.get("/openapi.json")).json<any>();
  const take = document.paths["/counters/{name}/takings"].post;
  expect(take).toMatchObject({ operationId: "Take", tags: ["counters"], summary: "Take from a counter" });
  expect(take.parameters).toEqual([
    { name: "name", in: "path", required: true, schema: { type: "string" } },
    { name: "Idempotency-Key", in: "header", description: expect.any(String), schema: { type: "string" } },
  ]);
  expect(Object.keys(take.responses["201"].headers)).toEqual(["Idempotent-Replayed"]);
  const body = take.requestBody.content["application/json"].schema;
  expect([Object.keys(body.properties), body.required]).toEqual([["amount", "day"], ["amount"]]);
  expect(Object.keys(take.responses)).toEqual([
    "201",
    "400",
    "404",
    "409",
    "413",
    "415",
    "422",
    "503",
    "504",
  ]);
  const total = document.paths["/counters/{name}"].get;
  expect(total.parameters.map((each: any) => [each.in, each.name])).toEqual([
    ["path", "name"],
    ["query", "plus"],
  ]);
  const reset = document.paths["/counters/{name}"].delete;
  expect(Object.keys(reset.responses)).toContain("204");
  expect(reset.requestBody).toBe(undefined); // its whole input is in the path
  expect(reset.parameters[1]).toMatchObject({ name: "Idempotency-Key", required: true });
  expect(Object.keys(document.components.responses.NoContent.headers)).toEqual(["Idempotent-Replayed"]);
});

test.each([
  ["with events", true, ["path name", "header Idempotency-Key"], ["header Consistency-Token"]],
  ["without tokens", false, ["path name", "header Idempotency-Key"], []],
])(
  "the API document lists the header fields of tokens and keys: %s",
  async (_name, enableEventSync, takeParameters, tokenParameters) => {
    const app = new (App.with(database, durable, eventSourcing, cqrs, openapi, cors))()
      .enableDatabase({ url: "sqlite://:memory:" })
      .enableEventSourcing()
      .enableCqrs({ enableEventSync })
      .enableCors(["https://app.example"])
      .enableOpenapi();
    app.cqrs.handle(Take, () => ({ total: 1 })).handle(Total, () => 0);
    await using client = testClient(app);
    const { paths } = (await client.get("/openapi.json")).json<any>();
    const take = paths["/counters/{name}/takings"].post;
    const parametersOf = ({ parameters }: any) => parameters.map((each: any) => `${each.in} ${each.name}`);
    expect(parametersOf(take)).toEqual(takeParameters);
    expect(parametersOf(paths["/counters/{name}"].get)).toEqual([
      "path name",
      "query plus",
      ...tokenParameters,
    ]);
    const replyFields = ["Idempotent-Replayed", ...(enableEventSync ? ["Consistency-Token"] : [])];
    expect(Object.keys(take.responses["201"].headers)).toEqual(replyFields);
    const origin = "https://app.example";
    const headers = { origin, "access-control-request-method": "POST" };
    const preflight = await client.options("/counters/a/takings", { headers });
    const allowed = ["Idempotency-Key", ...(enableEventSync ? ["Consistency-Token"] : [])];
    expect(preflight.headers.get("access-control-allow-headers")?.split(", ")).toEqual(
      expect.arrayContaining(allowed),
    );
    const reply = await client.get("/counters/a", { headers: { origin } });
    expect(reply.headers.get("access-control-expose-headers")?.split(", ").toSorted()).toEqual(
      [...replyFields, "Retry-After"].toSorted(),
    );
  },
);

test("CORS exposes Location and Retry-After of queued commands", async () => {
  const Later = command("Later", { input: z.object({}), mode: "queued", http: { path: "/later" } });
  const app = new (App.with(database, durable, cqrs, cors))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs()
    .enableCors(["https://app.example"]);
  app.cqrs.handle(Later, () => {});
  await using client = testClient(app);
  const reply = await client.post("/later", { json: {}, headers: { origin: "https://app.example" } });
  expect([reply.status, reply.headers.get("location")]).toEqual([202, expect.stringContaining("/")]);
  const exposed = reply.headers.get("access-control-expose-headers")?.split(", ");
  expect(exposed).toEqual(expect.arrayContaining(["Location", "Retry-After"]));
});

test("the API document describes the body of the reply to a queued command", async () => {
  const Later = command("Later", { input: z.object({}), mode: "queued", http: { path: "/later" } });
  const app = new (App.with(database, durable, cqrs, openapi))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs()
    .enableOpenapi();
  app.cqrs.handle(Later, () => {});
  await using client = testClient(app);
  const accepted = (await client.post("/later", { json: {} })).json<object>();
  const { paths } = (await client.get("/openapi.json")).json<any>();
  const { 202: reply, ...others } = paths["/later"].post.responses;
  const { schema } = reply.content["application/json"];
  expect([Object.keys(schema.properties), schema.required]).toEqual([
    ["id", "status_url"],
    ["id", "status_url"],
  ]);
  expect(Object.keys(accepted)).toEqual(Object.keys(schema.properties));
  expect(Object.keys(reply.headers)).toEqual(["Idempotent-Replayed", "Location"]);
  expect([reply.description, "2XX" in others]).toEqual([expect.stringContaining("Location"), false]);
  expect((await contractTest(app, { runs: 20 })).operations).toBeGreaterThan(0);
});

/** Maps each operation to its parameters, "path id!" if required, and its body: its members, the required members, and whether it is required. */
const parametersAndBodies = (paths: any): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries<any>(paths).flatMap(([path, item]) =>
      Object.entries<any>(item).map(([method, { parameters, requestBody }]) => {
        const names = (parameters ?? [])
          .filter((each: any) => each.in !== "header")
          .map((each: any) => `${each.in} ${each.name}${each.required === true ? "!" : ""}`);
        const { properties = {}, required = [] } = requestBody?.content["application/json"].schema ?? {};
        const body =
          requestBody === undefined
            ? null
            : [Object.keys(properties), required, requestBody.required ?? false];
        return [`${method} ${path}`, [names, body]];
      }),
    ),
  );

test("the API document lists path parameters neither in the query nor in the body, with any schema library", async () => {
  const json = {
    type: "object",
    properties: { id: { type: "string" }, k: { type: "string" } },
    required: ["id", "k"],
  };
  const validate = (value: unknown) => ({ value });
  const other: StandardSchema = { "~standard": { version: 1, vendor: "other", validate } };
  const optional = z.object({ id: z.string(), k: z.string().optional() });
  const Ask = query("Ask", { input: other, output: z.any(), http: { path: "/asked/{id}" } });
  const Do = command("Do", { input: other, http: { path: "/done/{id}" } });
  const Maybe = command("Maybe", { input: optional, http: { path: "/maybe/{id}" } });
  const All = command("All", { input: optional, http: { path: "/all" } });
  const None = command("None", { input: optional.optional(), http: { path: "/none" } });
  const app = new (App.with(database, durable, cqrs, openapi))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs()
    .enableOpenapi({ jsonSchema: { other: () => json } });
  app.cqrs.handle(Ask, () => 1);
  for (const each of [Do, Maybe, All, None]) app.cqrs.handle(each as typeof Do, () => {});
  await using client = testClient(app);
  const { paths } = (await client.get("/openapi.json")).json<any>();
  expect(parametersAndBodies(paths)).toEqual({
    "get /asked/{id}": [["path id!", "query k!"], null],
    "post /done/{id}": [["path id!"], [["k"], ["k"], true]],
    "post /maybe/{id}": [["path id!"], [["k"], [], false]],
    "post /all": [[], [["id", "k"], ["id"], true]],
    "post /none": [[], [["id", "k"], ["id"], false]],
  });
  expect((await client.post("/maybe/1")).status).toBe(204);
  expect((await client.post("/none")).status).toBe(204);
});

test("the API document removes path parameters from alternatives, intersections and named schemas of a body", async () => {
  const id = z.object({ id: z.string() });
  const a = id.extend({ a: z.string() });
  const b = id.extend({ b: z.string() }).meta({ id: "B" });
  const inner = z.object({ id: z.string() });
  const inputs = { either: z.union([a, b]), both: a.and(z.object({ c: inner })), named: b, whole: id.and(a) };
  const app = new (App.with(database, durable, cqrs, openapi))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs()
    .enableOpenapi();
  for (const [name, input] of Object.entries(inputs)) {
    const one: Command<StandardSchema> = command(name, { input, http: { path: `/${name}/{id}` } });
    app.cqrs.handle(one, () => {});
  }
  await using client = testClient(app);
  const { paths } = (await client.get("/openapi.json")).json<any>();
  const bodies = Object.keys(inputs).map(
    (name) => paths[`/${name}/{id}`].post.requestBody.content["application/json"].schema,
  );
  const text = { type: "string" };
  const ofA = { type: "object", properties: { a: text }, required: ["a"] };
  const ofB = { type: "object", properties: { b: text }, required: ["b"] };
  const ofInner = { type: "object", properties: { id: text }, required: ["id"] };
  expect(bodies).toEqual([
    { anyOf: [ofA, ofB] },
    { type: "object", properties: { a: text, c: ofInner }, required: ["a", "c"] },
    ofB,
    ofA,
  ]);
  expect((await contractTest(app, { runs: 10 })).operations).toBe(4);
});
