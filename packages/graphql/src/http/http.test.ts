import { cors } from "@framework/cors";
import { App } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { graphql } from "../index.ts";
import { library } from "../library.test-kit.ts";

const RESPONSE_TYPE = "application/graphql-response+json; charset=utf-8";

test("a POST is answered with the data, and by Accept as graphql-response+json", async () => {
  await using client = testClient(library().app);
  const plain = await client.post("/graphql", { json: { query: "{ hello }" } });
  expect([plain.status, plain.headers.get("content-type"), plain.json()]).toEqual([
    200,
    "application/json; charset=utf-8",
    { data: { hello: "Hello, you" } },
  ]);
  const negotiated = await client.post("/graphql", {
    json: { query: "{ hello }" },
    headers: { accept: "application/graphql-response+json" },
  });
  expect(negotiated.headers.get("content-type")).toBe(RESPONSE_TYPE);
});

test("operationName, operation_name and variables choose and fill the operation", async () => {
  await using client = testClient(library().app);
  const query = "query A { now } query B($name: String!) { hello(name: $name) }";
  for (const key of ["operationName", "operation_name"]) {
    const reply = await client.post("/graphql", { json: { query, [key]: "B", variables: { name: "Ada" } } });
    expect(reply.json()).toEqual({ data: { hello: "Hello, Ada" } });
  }
  const unnamed = await client.post("/graphql", { json: { query } });
  expect(unnamed.text).toContain("exactly one operation");
});

test("a GET executes queries, never mutations", async () => {
  const { app, events } = library();
  await using client = testClient(app);
  const got = await client.get("/graphql", { query: { query: "{ hello }" } });
  expect(got.json()).toEqual({ data: { hello: "Hello, you" } });
  const refused = await client.get("/graphql", { query: { query: 'mutation { add(title: "x") { id } }' } });
  expect([refused.status, refused.headers.get("allow"), events]).toEqual([405, "POST", []]);
});

test("a GET from a page of another site is refused unless CORS allows its origin", async () => {
  const headers = { "sec-fetch-site": "cross-site", origin: "https://app.example" };
  const query = { query: "{ __typename }" };
  await using foreign = testClient(library().app);
  expect((await foreign.get("/graphql", { query, headers })).status).toBe(403);
  const app = new (App.with(cors, graphql))().enableCors(["https://app.example"]).enableGraphql();
  await using allowed = testClient(app);
  expect((await allowed.get("/graphql", { query, headers })).status).toBe(200);
});

test.each([
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/graphql",
])("a mutation as %s is a 415, and does not run", async (type) => {
  const { app, events } = library();
  await using client = testClient(app);
  const body = JSON.stringify({ query: 'mutation { add(title: "x") { id } }' });
  const reply = await client.post("/graphql", { body, headers: { "content-type": type } });
  expect([reply.status, events]).toEqual([415, []]);
});

test("other methods are 405 with Allow, and malformed JSON is a 400 with errors", async () => {
  await using client = testClient(library().app);
  const put = await client.put("/graphql", { json: {} });
  expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS, POST"]);
  const bad = await client.post("/graphql", { body: "{", headers: { "content-type": "application/json" } });
  expect([bad.status, bad.json()]).toMatchObject([400, { errors: [{ message: "Unparsable JSON body" }] }]);
});

test("a body over maxBodyBytes is a 413", async () => {
  await using client = testClient(library({ maxBodyBytes: 100 }).app);
  const reply = await client.post("/graphql", {
    json: { query: "{ hello }", variables: { name: "x".repeat(100) } },
  });
  expect(reply.status).toBe(413);
});

test("batches are off by default, and bounded by maxBatch", async () => {
  const batch = [{ query: "{ hello }" }, { query: "{ nowhere }" }];
  await using off = testClient(library().app);
  expect((await off.post("/graphql", { json: batch })).status).toBe(400);
  await using on = testClient(library({ batching: true, maxBatch: 2 }).app);
  const reply = await on.post("/graphql", { json: batch });
  expect(reply.json()).toMatchObject([{ data: { hello: "Hello, you" } }, { errors: [{}] }]);
  for (const wrong of [[], [...batch, ...batch]])
    expect((await on.post("/graphql", { json: wrong })).status).toBe(400);
});

test("the endpoint exists on an app without routes and without a schema", async () => {
  await using client = testClient(new (App.with(graphql))().enableGraphql({ path: "/api" }));
  const reply = await client.post("/api", { json: { query: "{ __typename }" } });
  expect(reply.json()).toEqual({ data: { __typename: "Query" } });
});

test("tracing adds the duration to the result", async () => {
  await using client = testClient(library({ tracing: true }).app);
  const reply = await client.post("/graphql", { json: { query: "{ hello }" } });
  expect(reply.json()).toEqual({
    data: { hello: "Hello, you" },
    extensions: { tracing: { durationMs: expect.any(Number) } },
  });
});
