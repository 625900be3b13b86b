import { App } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { GraphQLError } from "graphql";
import { field, graphql } from "../index.ts";

interface Outcome {
  readonly data: unknown;
  readonly errors: Readonly<Record<string, string>>;
}

/** Returns the data and the messages, by path, of one query on resolvers that return or throw errors. */
const outcomeOf = async (
  schema: string,
  query: string,
  resolvers: Readonly<Record<string, unknown>>,
): Promise<Outcome> => {
  const app = new (App.with(graphql))().enableGraphql({ schema, resolvers: { Query: resolvers } } as never);
  await using client = testClient(app, { env: "production" });
  const { data, errors = [] } = (await client.post("/graphql", { json: { query } })).json<{
    data: unknown;
    errors?: { message: string; path: unknown[] }[];
  }>();
  return { data, errors: Object.fromEntries(errors.map(({ path, message }) => [path.join("."), message])) };
};

const masked = "An unexpected error occurred";

interface Lazy {
  readonly runs: () => number;
  then(resolve: (value: unknown) => void, reject: (error: unknown) => void): void;
}

/** A thenable as query builders return it: each call of `then` runs it again. */
const lazy = (run: () => unknown): Lazy => {
  let runs = 0;
  return {
    runs: () => runs,
    // oxlint-disable-next-line unicorn/no-thenable -- the subject of the test
    then(resolve, reject) {
      runs++;
      try {
        resolve(run());
      } catch (error) {
        reject(error);
      }
    },
  };
};

const fail = (error: Error): never => {
  throw error;
};

test("GraphQLErrors in nested lists are shown to clients, and their other errors are masked", async () => {
  const { data, errors } = await outcomeOf(
    "type Query { plain: [[Int]] later: [[Int]] inner: [[Int]] deep: [[[Int!]!]!] broken: [[Int]] }",
    "{ plain later inner deep broken }",
    {
      plain: () => [[1, new GraphQLError("nested")], [2]],
      later: async () => [[1, Promise.reject(new GraphQLError("nested later"))]],
      inner: () => [Promise.resolve([1, new GraphQLError("in a promise")]), [2]],
      deep: () => [[[1], [new GraphQLError("deep")]]],
      broken: () => [[1, new Error("canary")]],
    },
  );
  expect(data).toEqual({
    plain: [[1, null], [2]],
    later: [[1, null]],
    inner: [[1, null], [2]],
    deep: null,
    broken: [[1, null]],
  });
  expect(errors).toEqual({
    "plain.0.1": "nested",
    "later.0.1": "nested later",
    "inner.0.1": "in a promise",
    "deep.0.1.0": "deep",
    "broken.0.1": masked,
  });
});

test("GraphQLErrors in iterables, or thrown by generators, are shown to clients", async () => {
  const steps: string[] = [];
  const { data, errors } = await outcomeOf(
    "type Query { set: [Int] later: [Int] nested: [[Int]] throws: [Int] breaks: [Int] closed: [Int!] }",
    "{ set later nested throws breaks closed }",
    {
      set: () => new Set([1, new GraphQLError("in a set")]),
      later: async () => new Set([1, Promise.reject(new GraphQLError("in a later set"))]),
      nested: () => new Set([new Set([1, new GraphQLError("in a nested set")])]),
      *throws() {
        yield 1;
        throw new GraphQLError("thrown");
      },
      *breaks() {
        yield 1;
        throw new Error("canary");
      },
      *closed() {
        try {
          yield 1;
          yield new GraphQLError("not an item");
          yield 3;
        } finally {
          steps.push("closed");
        }
      },
    },
  );
  expect(data).toEqual({
    set: [1, null],
    later: [1, null],
    nested: [[1, null]],
    throws: null,
    breaks: null,
    closed: null,
  });
  expect(errors).toEqual({
    "set.1": "in a set",
    "later.1": "in a later set",
    "nested.0.1": "in a nested set",
    throws: "thrown",
    breaks: masked,
    "closed.1": "not an item",
  });
  expect(steps).toEqual(["closed"]);
});

test("GraphQLErrors of thenables that are no promises are shown to clients, and a thenable runs once", async () => {
  const thenables = {
    returned: lazy(() => new GraphQLError("returned")),
    thrown: lazy(() => fail(new GraphQLError("thrown"))),
    broken: lazy(() => fail(new Error("canary"))),
    list: lazy(() => [1, new GraphQLError("an item")]),
    value: lazy(() => 7),
    injected: lazy(() => 8),
  };
  const item = lazy(() => fail(new GraphQLError("a thenable item")));
  const { data, errors } = await outcomeOf(
    "type Query { returned: Int thrown: Int broken: Int list: [Int] value: Int injected: Int items: [Int] }",
    "{ returned thrown broken list value injected items }",
    {
      ...Object.fromEntries(Object.entries(thenables).map(([name, each]) => [name, () => each])),
      injected: field({ inject: {} }, () => thenables.injected),
      items: () => [1, item],
    },
  );
  expect(data).toEqual({
    returned: null,
    thrown: null,
    broken: null,
    list: [1, null],
    value: 7,
    injected: 8,
    items: [1, null],
  });
  expect(errors).toEqual({
    returned: "returned",
    thrown: "thrown",
    broken: masked,
    "list.1": "an item",
    "items.1": "a thenable item",
  });
  expect([...Object.values(thenables), item].map(({ runs }) => runs())).toEqual([1, 1, 1, 1, 1, 1, 1]);
});

test("a promise in a list that rejects after the list has failed does not end the process", async () => {
  const unhandled: unknown[] = [];
  const record = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", record);
  const late = Promise.withResolvers<number[]>();
  const { errors } = await outcomeOf("type Query { list: [[Int!]!]! }", "{ list }", {
    list: () => [new GraphQLError("first"), late.promise],
  });
  late.reject(new Error("second"));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  process.off("unhandledRejection", record);
  expect([errors, unhandled]).toEqual([{ "list.0": "first" }, []]);
});
