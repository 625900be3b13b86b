import { App } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { GraphQLError } from "graphql";
import { graphql } from "../index.ts";

test("GraphQLErrors that a list in an async iterable throws or yields are shown to clients; its other errors are masked", async () => {
  const app = new (App.with(graphql))().enableGraphql({
    schema:
      "type Query { throws: [Int] late: [Int] yields: [Int] breaks: [Int] method: Item } type Item { list: [Int] }",
    resolvers: {
      Query: {
        throws: async function* () {
          yield 1;
          throw new GraphQLError("closed", { extensions: { code: "CLOSED" } });
        } as never,
        late: async () =>
          (async function* () {
            yield 1;
            throw new GraphQLError("closed later");
          })(),
        yields: async function* () {
          yield 1;
          yield new GraphQLError("an item is missing");
        } as never,
        breaks: async function* () {
          yield 1;
          throw new Error("canary");
        } as never,
        method: () => ({
          async *list() {
            yield 1;
            throw new GraphQLError("of a method");
          },
        }),
      },
    },
  });
  await using client = testClient(app, { env: "production" });
  const json = { query: "{ throws late yields breaks method { list } }" };
  const { data, errors } = (await client.post("/graphql", { json })).json<{
    data: object;
    errors: { message: string; path: unknown[]; extensions?: object }[];
  }>();
  expect(data).toEqual({ throws: null, late: null, yields: [1, null], breaks: null, method: { list: null } });
  expect(Object.fromEntries(errors.map(({ path, message }) => [path.join("."), message]))).toEqual({
    throws: "closed",
    late: "closed later",
    "yields.1": "an item is missing",
    breaks: "An unexpected error occurred",
    "method.list": "of a method",
  });
  expect(errors.find(({ message }) => message === "closed")?.extensions).toEqual({ code: "CLOSED" });
});
