import { App } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createLoader, graphql } from "../index.ts";

test("a key that is cleared before its batch is loaded once", async () => {
  const batches: (readonly number[])[] = [];
  const doubles = createLoader({
    name: "doubles",
    batch: async (numbers: readonly number[]) => {
      batches.push(numbers);
      return numbers.map((number) => number * 2);
    },
  });
  const app = new (App.with(graphql))().enableGraphql({
    schema: "type Query { sum: Int }",
    resolvers: {
      Query: {
        sum: async (_: unknown, _args: object, context) => {
          const first = context.load(doubles, 1);
          context.clear(doubles, 1);
          return (await first) + (await context.load(doubles, 1));
        },
      },
    },
  });
  await using client = testClient(app);
  expect((await client.post("/graphql", { json: { query: "{ sum }" } })).json()).toEqual({
    data: { sum: 4 },
  });
  expect(batches).toEqual([[1]]);
});
