import { App } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { GraphQLObjectType, GraphQLSchema, GraphQLString } from "graphql";
import { field, type FieldOptions, fieldOptions, graphql, GraphQLConfig, subscription } from "./index.ts";
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

test("trusted documents that are not texts are reported at start", async () => {
  for (const text of [5, null, { kind: "Document" }]) {
    const documents = { now: "{ now }", wrong: text } as never;
    await expect(library({ documents }).app.start()).rejects.toThrow(
      "GraphQLConfig.documents must be texts by id, or a function",
    );
  }
});

test("an option of a preset that is undefined has the value of the preset", async () => {
  const unset = {
    playground: undefined,
    introspection: undefined,
    maxDepth: undefined,
    maxComplexity: undefined,
  };
  await using client = testClient(library(GraphQLConfig.production(unset)).app);
  expect((await client.get("/graphql", page)).text).not.toContain("<html");
  expect((await client.post("/graphql", types)).text).toContain("Introspection is disabled");
  for (const [query, limit] of [
    [nested(5), "maxDepth"],
    ["{ books(first: 1000) { id } }", "maxComplexity"],
  ])
    expect((await client.post("/graphql", { json: { query } })).json()).toMatchObject({
      errors: [{ extensions: { limit } }],
    });
});

test("a member that the option `context` adds may have any name that GraphqlContext lacks", async () => {
  const names = ["batches", "scope", "loaders", "user"];
  const { app } = library({
    schema: "type Query { members: [String] }",
    resolvers: {
      Query: {
        members: (_: unknown, _args: object, context: object) =>
          names.map((name) => Reflect.get(context, name)),
      },
    },
    context: () => Object.fromEntries(names.map((name) => [name, `my ${name}`])),
  });
  await using client = testClient(app);
  expect((await client.post("/graphql", { json: { query: "{ members }" } })).json()).toEqual({
    data: { members: names.map((name) => `my ${name}`) },
  });
});

test("a function `context` that returns nothing adds no members", async () => {
  for (const values of [null, undefined]) {
    await using client = testClient(library({ context: () => values as never }).app);
    expect((await client.post("/graphql", { json: { query: "{ now }" } })).json()).toEqual({
      data: { now: 7 },
    });
  }
});

test.each([
  ["null", { Query: null }, 'the resolvers of "Query" must be an object with its fields, not null'],
  ["a function", { Query: () => 1 }, 'the resolvers of "Query" must be an object with its fields'],
  ["a list", { Query: [] }, 'the resolvers of "Query" must be an object with its fields, not a list'],
  ["a number", { Query: { now: field({}, 7 as never) } }, '"Query.now" must be a function, not a number'],
  [
    "a type's name",
    { Any: { __resolveType: "Query" } },
    '"Any.__resolveType" must be a function, not a string',
  ],
  ["a boolean", { Query: { __isTypeOf: true } }, '"Query.__isTypeOf" must be a function, not a boolean'],
])("resolvers that are %s are reported at start", async (_, resolvers, message) => {
  const app = library({
    schema: "type Query { now: Int } union Any = Query",
    resolvers: resolvers as never,
  }).app;
  await expect(app.start()).rejects.toMatchObject({
    problems: [{ code: "GRAPHQL_BAD_SCHEMA", message: expect.stringContaining(message) }],
  });
});

test("field, subscription and fieldOptions refuse a function, null or a list instead of options", () => {
  const resolve = (): number => 1;
  for (const wrong of [resolve, null, [resolve]] as never[]) {
    expect(() => field(wrong, resolve)).toThrow("the first argument of field() must be an object of options");
    expect(() => subscription(wrong, resolve)).toThrow("the first argument of subscription() must be");
    expect(() => fieldOptions(wrong)).toThrow("the first argument of fieldOptions() must be an object");
  }
});

test.each([
  [{ guard: [() => false] }, 'the options of "Query.me" has no field "guard"; did you mean "guards"?'],
  [{ guards: () => false }, 'the options of "Query.me": guards must be a list of guards'],
  [{ cost: "9" }, 'the options of "Query.me": cost must be a number of at least 0'],
  [{ cost: -1 }, "cost must be a number of at least 0"],
  [{ cost: Number.NaN }, "cost must be a number of at least 0"],
])(
  "mistakes in the options of a field are a start error, in SDL and in a GraphQLSchema: %p",
  async (options, message) => {
    const wrong = options as FieldOptions;
    const me = { type: GraphQLString, resolve: () => "canary", extensions: fieldOptions(wrong) };
    const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: "Query", fields: { me } }) });
    const resolvers = { Query: { me: field(wrong, () => "canary") } };
    for (const config of [{ schema }, { schema: "type Query { me: String }", resolvers }])
      await expect(new (App.with(graphql))().enableGraphql(config).start()).rejects.toMatchObject({
        problems: [{ code: "GRAPHQL_BAD_SCHEMA", message: expect.stringContaining(message) }],
      });
  },
);
