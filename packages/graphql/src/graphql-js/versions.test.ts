import { App } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import {
  GraphQLError,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  versionInfo,
} from "graphql";
import { graphql } from "../index.ts";
import { withoutSuggestion } from "./versions.ts";

const schema = `
  enum Colour { SCARLET CRIMSON }
  input Paint { colour: Colour thickness: Int }
  interface Thing { id: ID }
  type Book implements Thing { id: ID headline: String }
  type Query { painted(paint: Paint, colour: Colour): String thing: Thing }
`;

test.each([
  ["{ paintd }", {}],
  ["{ painted(colur: CRIMSON) }", {}],
  ["{ painted(colour: CRIMSN) }", {}],
  ["{ painted(paint: { colur: CRIMSON }) }", {}],
  ["{ thing { headline } }", {}],
  ["query($c: Colur) { painted(colour: $c) }", {}],
  ["query($c: Colour) { painted(colour: $c) }", { c: "CRIMSN" }],
  ["query($p: Paint) { painted(paint: $p) }", { p: { thicknes: 1 } }],
])("%s %j gets suggestions in development only", async (query, variables) => {
  const app = () => new (App.with(graphql))().enableGraphql({ schema, resolvers: {} });
  const error = async (env: "development" | "production") => {
    await using client = testClient(app(), { env });
    const reply = await client.post("/graphql", { json: { query, variables } });
    return reply.json<{ errors: { message: string }[] }>().errors[0];
  };
  const request = { locations: [{ line: 1, column: expect.any(Number) }], extensions: { status: 400 } };
  const open = await error("development");
  expect(open).toMatchObject({ ...request, message: expect.stringMatching(/ Did you mean .*"\?/) });
  const hidden = await error("production");
  expect(hidden).toMatchObject({ ...request, message: expect.not.stringContaining("Did you mean") });
  expect(hidden?.message.slice(0, 20)).toBe(open?.message.slice(0, 20));
});

test.each([
  ['No "a". Did you mean "b"?', 'No "a".'],
  ['No "a". Did you mean "b" or "c"?', 'No "a".'],
  ['No "a". Did you mean the enum value "b", "c", or "d"?', 'No "a".'],
  ['Not "x". Did you mean to use an inline fragment on "T"?', 'Not "x".'],
  [
    'Field "a" needs subfields. Did you mean "a { ... }"?',
    'Field "a" needs subfields. Did you mean "a { ... }"?',
  ],
  ['Value " Did you mean "b"? x" is bad.', 'Value " Did you mean "b"? x" is bad.'],
])("withoutSuggestion: %s", (message, shortened) => {
  expect(withoutSuggestion(new GraphQLError(message)).message).toBe(shortened);
});

test("argument defaults of a code-first schema count for maxComplexity", async () => {
  const items = (limit: object) => ({
    type: new GraphQLList(new GraphQLNonNull(GraphQLString)),
    args: { limit: { type: GraphQLInt, ...limit } },
    resolve: () => [],
  });
  const query = new GraphQLObjectType({ name: "Query", fields: { items: items({ defaultValue: 50 }) } });
  const app = new (App.with(graphql))().enableGraphql({
    schema: new GraphQLSchema({ query }),
    maxComplexity: 49,
  });
  await using client = testClient(app);
  expect((await client.post("/graphql", { json: { query: "{ items }" } })).text).toContain("maxComplexity");
  const fewer = await client.post("/graphql", { json: { query: "{ items(limit: 49) }" } });
  expect(fewer.json()).toEqual({ data: { items: [] } });
});

test("incremental is a start error with graphql 16, and is accepted with 17", async () => {
  const small = "type Query { a: Int }";
  const app = new (App.with(graphql))().enableGraphql({ schema: small, incremental: true });
  const outcome = await app.start().then(
    () => "started",
    (error: Error) => error.message,
  );
  await app.stop();
  expect(outcome).toContain(
    versionInfo.major === 16 ? "GraphQLConfig.incremental needs graphql 17" : "started",
  );
});
