import { App, HttpError } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { GraphQLError, GraphQLScalarType } from "graphql";
import { field, graphql } from "../index.ts";
import { library } from "../library.test-kit.ts";

const errorOf = async (field: string, env: "development" | "production", debug = false): Promise<unknown> => {
  await using client = testClient(library().app, { env, debug });
  const reply = await client.post("/graphql", { json: { query: `{ ${field} }` } });
  const { errors = [] } = reply.json<{
    errors?: { message: string; extensions: unknown; path: unknown }[];
  }>();
  return errors.map(({ message, extensions, path }) => [message, extensions, path])[0];
};

const unexpected = "An unexpected error occurred";

test.each(["broken", "odd"])("an error in %s is masked in production, even under debug", async (field) => {
  for (const debug of [false, true])
    expect(await errorOf(field, "production", debug)).toEqual([
      unexpected,
      { error: "Internal Server Error", detail: unexpected, status: 500 },
      [field],
    ]);
});

test("an error's message is shown under debug in development, and logged with its field in production", async () => {
  expect(await errorOf("broken", "development", true)).toMatchObject(["canary", { status: 500 }, ["broken"]]);
  await using client = testClient(library().app, { env: "production" });
  await client.post("/graphql", { json: { query: "{ broken }" } });
  expect(client.logs.filter(({ level }) => level === "error")).toMatchObject([
    { message: "graphql: a resolver failed: canary", fields: { path: "broken" } },
  ]);
});

test("HttpErrors and GraphQLErrors of resolvers are shown to clients", async () => {
  expect(await errorOf("refused", "production")).toEqual([
    "not yours",
    { error: "Forbidden", detail: "not yours", status: 403 },
    ["refused"],
  ]);
  expect(await errorOf("mine", "production")).toEqual(["for the client", { code: "MINE" }, ["mine"]]);
});

test("an HttpError above 500 shows its detail, and is logged with its field if its message differs", async () => {
  class StockError extends HttpError {
    override readonly detail: string = "A service failed";
  }
  const app = new (App.with(graphql))().enableGraphql({
    schema: "type Query { left: Int }",
    resolvers: {
      Query: {
        left: () => {
          throw new StockError(502, "canary");
        },
      },
    },
  });
  await using client = testClient(app, { env: "production" });
  const reply = await client.post("/graphql", { json: { query: "{ left }" } });
  expect(reply.json()).toMatchObject({ errors: [{ message: "A service failed", path: ["left"] }] });
  expect(client.logs.filter(({ level }) => level === "warn")).toMatchObject([
    { message: "graphql: a resolver failed: canary", fields: { path: "left" } },
  ]);
});

test("GraphQLErrors that source methods throw or resolvers return are shown to clients; errors of a scalar are masked", async () => {
  const fail = (message: string): never => {
    throw new GraphQLError(message);
  };
  const strict = new GraphQLScalarType({ name: "Strict", serialize: () => fail("canary") });
  const app = new (App.with(graphql))().enableGraphql({
    schema: `
      scalar Strict
      type Query { item: Item guarded: Item returned: Int later: Int items: [Item] promises: [Int] strict: Strict stricts: [Strict] }
      type Item { name: String slow: String list: [String] wrong: Int }
    `,
    resolvers: {
      Strict: strict,
      Query: {
        item: () => ({
          name: () => fail("of a method"),
          slow: async () => fail("of a slow method"),
          list: ["a", new GraphQLError("of a member")],
          wrong: "canary",
        }),
        guarded: field({ guards: [() => true] }, async () => ({ name: () => fail("of a guarded source") })),
        returned: () => new GraphQLError("returned"),
        later: async () => new GraphQLError("returned later"),
        items: () => [{ name: "first" }, new GraphQLError("an item is missing")],
        promises: async () => [1, Promise.reject(new GraphQLError("of a promise"))],
        strict: () => 1,
        stricts: () => [1],
      },
    },
  });
  await using client = testClient(app, { env: "production" });
  const query =
    "{ item { name slow list wrong } guarded { name } returned later items { name } promises strict stricts }";
  const { errors } = (await client.post("/graphql", { json: { query } })).json<{
    errors: { message: string; path: unknown[] }[];
  }>();
  expect(Object.fromEntries(errors.map(({ path, message }) => [path.join("."), message]))).toEqual({
    "item.name": "of a method",
    "item.slow": "of a slow method",
    "item.list.1": "of a member",
    "item.wrong": unexpected,
    "guarded.name": "of a guarded source",
    returned: "returned",
    later: "returned later",
    "items.1": "an item is missing",
    "promises.1": "of a promise",
    strict: unexpected,
    "stricts.0": unexpected,
  });
});

test("an operation of a batch that fails outside of its resolvers has its own error, and the results of the others are sent", async () => {
  const failing = library({
    batching: true,
    documents: async (id) => {
      if (id === "add") return 'mutation { add(title: "x") { id } }';
      throw id === "away" ? new HttpError(503, "The store is away") : new Error("canary");
    },
  });
  await using client = testClient(failing.app, { env: "production" });
  const send = (...ids: string[]) =>
    client.post("/graphql", { json: ids.map((documentId) => ({ documentId })) });
  const reply = await send("add", "other", "away");
  expect([reply.status, reply.json()]).toMatchObject([
    200,
    [
      { data: { add: { id: "9" } } },
      { errors: [{ message: unexpected, extensions: { status: 500 } }] },
      { errors: [{ message: "The store is away", extensions: { status: 503 } }] },
    ],
  ]);
  expect(failing.events).toEqual(["added x"]);
  expect([(await send("away", "other")).status, (await send("away")).status]).toEqual([503, 503]);
});

test("an invalid value of a variable is a 400, and is not logged", async () => {
  await using client = testClient(library().app, { env: "production" });
  const json = { query: "query($n: Int) { books(first: $n) { id } }", variables: { n: "canary" } };
  const reply = await client.post("/graphql", { json });
  expect(reply.json()).toMatchObject({
    errors: [{ message: expect.stringContaining('Variable "$n"'), extensions: { status: 400 } }],
  });
  expect(JSON.stringify(client.logs)).not.toContain("canary");
});

test("a client that disconnects aborts the resolver's signal", async () => {
  const { app, events } = library();
  const aborter = new AbortController();
  const reply = app.fetch(
    new Request("http://localhost/graphql", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "{ hangs }" }),
      signal: aborter.signal,
    }),
  );
  const settled = Promise.allSettled([reply]);
  while (!events.includes("waits")) await new Promise((resolve) => setImmediate(resolve));
  aborter.abort();
  await settled;
  expect(events).toEqual(["waits", "aborted"]);
});

test("after the client has disconnected, no further mutation field begins", async () => {
  const begun: string[] = [];
  const aborter = new AbortController();
  const app = new (App.with(graphql))().enableGraphql({
    schema: "type Query { a: Int } type Mutation { first: Int second: Int third: Int }",
    resolvers: {
      Mutation: {
        first: () => begun.push("first"),
        second: async (_: unknown, _args: object, { signal }) => {
          begun.push("second");
          aborter.abort();
          while (!signal.aborted) await new Promise((resolve) => setImmediate(resolve));
          return 2;
        },
        third: () => begun.push("third"),
      },
    },
  });
  const request = new Request("http://localhost/graphql", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "mutation { first second third }" }),
    signal: aborter.signal,
  });
  await Promise.allSettled([app.fetch(request)]);
  await app.stop(); // waits for the resolvers
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(["first", "second"]);
});
