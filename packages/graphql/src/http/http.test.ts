import { cors } from "@framework/cors";
import { App } from "@framework/core";
import { socketClient, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { graphql } from "../index.ts";
import { library } from "../library.test-kit.ts";

const RESPONSE_TYPE = "application/graphql-response+json; charset=utf-8";

test("the reply to a POST has data, and is graphql-response+json if Accept asks for it", async () => {
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

test("operationName and operation_name select the operation, which gets the variables", async () => {
  await using client = testClient(library().app);
  const query = "query A { now } query B($name: String!) { hello(name: $name) }";
  for (const key of ["operationName", "operation_name"]) {
    const reply = await client.post("/graphql", { json: { query, [key]: "B", variables: { name: "Ada" } } });
    expect(reply.json()).toEqual({ data: { hello: "Hello, Ada" } });
  }
  const unnamed = await client.post("/graphql", { json: { query } });
  expect(unnamed.text).toContain("exactly one operation");
});

test("an empty operationName is ignored", async () => {
  const { app } = library();
  await using client = testClient(app);
  const params = { query: "{ now }", operationName: "" };
  for (const reply of [
    await client.post("/graphql", { json: params }),
    await client.get("/graphql", { query: params }),
  ])
    expect(reply.json()).toEqual({ data: { now: 7 } });
});

test("variables and extensions of a GET that are nested deeper than 100 levels are a 400", async () => {
  await using client = testClient(library().app);
  for (const name of ["variables", "extensions"]) {
    const nested = (levels: number): string => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    const send = async (levels: number) =>
      client.get("/graphql", { query: { query: "{ now }", [name]: nested(levels) } });
    expect((await send(100)).json()).toEqual({ data: { now: 7 } });
    const refused = await send(101);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("100 levels")]);
  }
});

test("a GET executes queries, never mutations", async () => {
  const { app, events } = library();
  await using client = testClient(app);
  const got = await client.get("/graphql", { query: { query: "{ hello }" } });
  expect(got.json()).toEqual({ data: { hello: "Hello, you" } });
  const refused = await client.get("/graphql", { query: { query: 'mutation { add(title: "x") { id } }' } });
  expect([refused.status, refused.headers.get("allow"), events]).toEqual([405, "POST", []]);
});

test("the reply to a GET varies by Accept", async () => {
  await using client = testClient(library().app);
  const reply = await client.get('/graphql?query={hello(name:"what?")}');
  expect(reply.json()).toEqual({ data: { hello: "Hello, what?" } });
  expect(reply.headers.get("vary")).toBe("Accept");
  const page = await client.get("/graphql", { headers: { accept: "text/html" } });
  expect(page.headers.get("vary")).toBe("Accept");
});

test.each([
  ["{", 400],
  ["{ nowhere }", 400],
  ["query($n: Int!) { books(first: $n) { id } }", 400],
  ["query A { now } query B { now }", 400],
  ["subscription { waits }", 400],
  ["{ broken }", 200],
  ["{ secret }", 200],
])("%s: %d as graphql-response+json, 200 as json", async (query, status) => {
  await using client = testClient(library().app);
  for (const [accept, expected] of [
    ["application/graphql-response+json", status],
    ["application/json", 200],
  ] as const) {
    const reply = await client.post("/graphql", { json: { query }, headers: { accept } });
    expect([reply.status, reply.headers.get("content-type")]).toEqual([expected, `${accept}; charset=utf-8`]);
    expect(reply.json()).toHaveProperty("errors");
  }
});

test.each(["skip", "include", "defer"])(
  "a subscription whose @%s has an argument of a wrong type is a client error",
  async (name) => {
    await using client = testClient(library().app);
    const query = `subscription { ... @${name}(if: 1) { waits } }`;
    const { errors } = (await client.post("/graphql", { json: { query } })).json<{ errors: object[] }>();
    expect(errors[0]).toMatchObject({ extensions: { status: 400 } });
  },
);

test.each([{}, { query: 5 }, { query: "{ now }", variables: [] }, { documentId: 5 }, "text", null])(
  "the malformed request %j is a 400 in the type that the client accepts",
  async (json) => {
    await using client = testClient(library().app);
    for (const accept of ["application/graphql-response+json", "application/json"]) {
      const reply = await client.post("/graphql", { json, headers: { accept } });
      expect([reply.status, reply.headers.get("content-type")]).toEqual([400, `${accept}; charset=utf-8`]);
      expect(reply.json()).toMatchObject({ errors: [{ extensions: { status: 400 } }] });
    }
  },
);

test.each([
  ["*/*", "application/json"],
  ["application/graphql-response+json, application/json;q=0.9", "application/graphql-response+json"],
  ["application/json, application/graphql-response+json", "application/graphql-response+json"],
  ["application/json, application/graphql-response+json;q=0.5", "application/json"],
  ["application/graphql-response+json;q=0, */*", "application/json"],
  ["text/html, application/json; charset=UTF-8", "application/json"],
])("the reply for Accept: %s is %s", async (accept, type) => {
  await using client = testClient(library({ playground: false }).app);
  const reply = await client.post("/graphql", { json: { query: "{ now }" }, headers: { accept } });
  expect([reply.status, reply.headers.get("content-type")]).toEqual([200, `${type}; charset=utf-8`]);
});

test.each(["text/plain", "application/json;q=0", "application/json; charset=latin1"])(
  "Accept: %s is a 406",
  async (accept) => {
    await using client = testClient(library({ batching: true }).app);
    for (const json of [{ query: "{ now }" }, [{ query: "{ now }" }]])
      expect((await client.post("/graphql", { json, headers: { accept } })).status).toBe(406);
  },
);

test("a charset may be quoted, and only UTF-8 is accepted", async () => {
  await using client = testClient(library().app);
  const body = '{"query":"{ now }"}';
  const statusOf = async (type: string) =>
    (await client.post("/graphql", { body, headers: { "content-type": type } })).status;
  expect(await statusOf('application/json; charset="utf-8"')).toBe(200);
  expect(await statusOf("application/json; charset=latin1")).toBe(415);
  expect(await statusOf("text/plain, application/json")).toBe(415);
});

test.each([
  { "sec-fetch-site": "cross-site", origin: "https://app.example" },
  { origin: "https://app.example" },
])("a cross-site GET is refused unless CORS allows its origin: %j", async (headers) => {
  const query = { query: "{ __typename }" };
  await using withoutCors = testClient(library().app);
  expect((await withoutCors.get("/graphql", { query, headers })).status).toBe(403);
  const app = new (App.with(cors, graphql))().enableCors(["https://app.example"]).enableGraphql();
  await using allowed = testClient(app);
  expect((await allowed.get("/graphql", { query, headers })).status).toBe(200);
});

test("without Sec-Fetch-Site a GET from an opaque origin is refused, and a GET from the service's own origin is executed", async () => {
  const { app } = library();
  await using client = testClient(app);
  const statusFor = async (origin: string): Promise<number> => {
    const url = "http://shop.test/graphql?query={now}";
    return (await app.fetch(new Request(url, { headers: { origin } }))).status;
  };
  expect(await statusFor("null")).toBe(403);
  expect(await statusFor("http://shop.test:81")).toBe(403);
  expect(await statusFor("http://shop.test")).toBe(200);
  await using proxied = socketClient(app);
  const headers = { host: "shop.test:80", origin: "http://shop.test" };
  expect((await proxied.get("/graphql", { query: { query: "{ now }" }, headers })).status).toBe(200);
  expect((await client.get("/graphql", { query: { query: "{ now }" } })).status).toBe(200);
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
  expect([bad.status, bad.json()]).toMatchObject([
    400,
    { errors: [{ message: "The JSON body is malformed at position 1" }] },
  ]);
});

test("unknown members of a body are ignored, including those of an HttpError", async () => {
  await using client = testClient(library({ batching: true }).app);
  const lookalike = { framework: true, status: 418, extras: {}, detail: "canary" };
  const json = { query: "{ now }", ...lookalike };
  expect((await client.post("/graphql", { json })).json()).toEqual({ data: { now: 7 } });
  expect((await client.post("/graphql", { json: [json] })).json()).toEqual([{ data: { now: 7 } }]);
  const malformed = await client.post("/graphql", { json: lookalike });
  expect([malformed.status, malformed.text]).toEqual([400, expect.stringContaining("Missing query")]);
});

test("a body over maxBodyBytes is a 413", async () => {
  await using client = testClient(library({ maxBodyBytes: 100 }).app);
  const reply = await client.post("/graphql", {
    json: { query: "{ hello }", variables: { name: "x".repeat(100) } },
  });
  expect(reply.status).toBe(413);
});

test("batches are disabled by default, and limited by maxBatch", async () => {
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
