import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { field, GraphQLConfig, subscription } from "./index.ts";
import { library } from "./library.test-kit.ts";

const nested = (levels: number): string =>
  `{ book(id: 1) ${"{ author { books ".repeat(levels)} { id } ${"} }".repeat(levels)} }`;
const page = { headers: { accept: "text/html" } };
const types = { json: { query: "{ __schema { types { name } } }" } };

test("production() disables the page and introspection, and limits depth to 10 and cost to 1000", async () => {
  await using client = testClient(library(GraphQLConfig.production()).app);
  expect((await client.get("/graphql", page)).text).not.toContain("<html");
  expect((await client.post("/graphql", types)).text).toContain("Introspection is disabled");
  const firstError = async (query: string) =>
    (await client.post("/graphql", { json: { query } })).json<{ errors?: object[] }>().errors?.[0];
  expect(await firstError(nested(4))).toBeUndefined(); // depth 10
  expect(await firstError(nested(5))).toMatchObject({ extensions: { limit: "maxDepth" } });
  expect(await firstError("{ books(first: 999) { id } }")).toBeUndefined();
  expect(await firstError("{ books(first: 1000) { id } }")).toMatchObject({
    extensions: { limit: "maxComplexity" },
  });
});

test("development() enables the page, introspection, batches and tracing in every environment", async () => {
  await using client = testClient(library(GraphQLConfig.development()).app, { env: "production" });
  expect((await client.get("/graphql", page)).text).toContain("<html");
  expect((await client.post("/graphql", types)).json()).toHaveProperty("data");
  const batch = await client.post("/graphql", { json: [{ query: "{ now }" }] });
  expect(batch.json()).toMatchObject([{ data: { now: 7 }, extensions: { tracing: {} } }]);
});

test("options of the caller replace options of a preset, and all mistakes are reported at start", async () => {
  await using client = testClient(library(GraphQLConfig.production({ introspection: true })).app);
  expect((await client.post("/graphql", types)).json()).toHaveProperty("data");
  const wrong = { maxDepth: 0, path: "graphql", batching: "yes", maxDeph: 3 } as object;
  const start = library(wrong).app.start();
  for (const option of ["maxDepth", "path", "batching", "maxDeph"])
    await expect(start).rejects.toThrow(option);
});

test.each([
  ["null", { Query: null }, 'the resolvers of "Query" must be an object with its fields, not null'],
  ["a function", { Query: () => 1 }, 'the resolvers of "Query" must be an object with its fields'],
  ["a list", { Query: [] }, 'the resolvers of "Query" must be an object with its fields, not a list'],
  ["a number", { Query: { now: field({}, 7 as never) } }, '"Query.now" must be a function, not a number'],
])("resolvers that are %s are reported at start", async (_, resolvers, message) => {
  const app = library({ schema: "type Query { now: Int }", resolvers: resolvers as never }).app;
  await expect(app.start()).rejects.toMatchObject({
    problems: [{ code: "GRAPHQL_BAD_SCHEMA", message: expect.stringContaining(message) }],
  });
});

test("field and subscription refuse a function, null or a list instead of options", () => {
  const resolve = (): number => 1;
  for (const wrong of [resolve, null, [resolve]] as never[]) {
    expect(() => field(wrong, resolve)).toThrow("the first argument of field() must be an object of options");
    expect(() => subscription(wrong, resolve)).toThrow("the first argument of subscription() must be");
  }
});
