import { App, type Guard, UnauthorizedError } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { buildSchema, GraphQLObjectType, GraphQLSchema, GraphQLString } from "graphql";
import { createLoader, field, fieldOptions, graphql } from "../index.ts";
import { library } from "../library.test-kit.ts";

test("a guard of a field gets its arguments, and a refusal affects only that field", async () => {
  await using client = testClient(library().app);
  const reply = await client.post("/graphql", {
    json: { query: "{ a: secret(level: 7) b: secret(level: 1) now }" },
  });
  expect(reply.json()).toMatchObject({
    data: { a: "the secret", b: null, now: 7 },
    errors: [{ path: ["b"], extensions: { error: "Forbidden", status: 403 } }],
  });
});

test("guards of routes work on fields: the context of the request has the caller", async () => {
  const member: Guard = ({ context }) => {
    if (context.get("user") === null) throw new UnauthorizedError();
  };
  const schema = new GraphQLSchema({
    query: new GraphQLObjectType({
      name: "Query",
      fields: {
        me: { type: GraphQLString, resolve: () => "me", extensions: fieldOptions({ guards: [member] }) },
      },
    }),
  });
  const app = new (App.with(graphql))().enableGraphql({ schema });
  app.use((request, next) => {
    if (request.getHeader("x-user") !== null) request.context.set("user", "ada");
    return next(request);
  });
  await using client = testClient(app);
  const send = async (headers: Record<string, string>) =>
    (await client.post("/graphql", { json: { query: "{ me }" }, headers })).json();
  expect(await send({ "x-user": "ada" })).toEqual({ data: { me: "me" } });
  expect(await send({})).toMatchObject({ data: { me: null }, errors: [{ extensions: { status: 401 } }] });
});

test("apps that share a GraphQLSchema keep their own resolvers and guards, and do not change the schema", async () => {
  const schema = buildSchema('"""A safe.""" schema { query: Query } type Query { secret: String }');
  const query = "{ secret __schema { description } }";
  const shared = (name: string, guards: readonly Guard[]) =>
    testClient(
      new (App.with(graphql))().enableGraphql({
        schema,
        introspection: true,
        resolvers: { Query: { secret: field({ guards }, () => name) } },
      }),
    );
  await using closed = shared("closed", [() => "members only"]);
  await using open = shared("open", []);
  await using other = shared("other", [() => "staff only"]);
  const send = async (client: typeof open) => (await client.post("/graphql", { json: { query } })).json();
  expect(await send(closed)).toMatchObject({ data: { secret: null }, errors: [{ message: "members only" }] });
  expect(await send(open)).toEqual({ data: { secret: "open", __schema: { description: "A safe." } } });
  expect(await send(other)).toMatchObject({ data: { secret: null }, errors: [{ message: "staff only" }] });
  expect(schema.getQueryType()?.getFields()["secret"]?.resolve).toBeUndefined();
});

test("a guard of a field runs once in every app that has its type", async () => {
  let runs = 0;
  const guards: Guard[] = [() => ++runs > 0];
  const query = new GraphQLObjectType({
    name: "Query",
    fields: { a: { type: GraphQLString, resolve: () => "a", extensions: fieldOptions({ guards }) } },
  });
  const schema = new GraphQLSchema({ query });
  for (const each of [schema, schema, new GraphQLSchema({ query })]) {
    await using client = testClient(new (App.with(graphql))().enableGraphql({ schema: each }));
    const reply = await client.post("/graphql", { json: { query: "{ a }" } });
    expect(reply.json()).toEqual({ data: { a: "a" } });
  }
  expect(runs).toBe(3);
});

test("a field's guard runs in lists, interfaces, unions, fragments and mutations", async () => {
  const closed = field({ guards: [() => "members only"] }, () => "canary");
  const app = new (App.with(graphql))().enableGraphql({
    schema: `
      interface Named { name: String }
      type Book implements Named { name: String books: [Book!]! }
      union Thing = Book
      type Query { book: Book books: [Book!]! named: Named thing: Thing }
      type Mutation { add: Book }
    `,
    resolvers: {
      Query: { book: () => ({}), books: () => [{}, {}], named: () => ({}), thing: () => ({}) },
      Mutation: { add: () => ({}) },
      Named: { __resolveType: () => "Book" },
      Thing: { __resolveType: () => "Book" },
      Book: { name: closed, books: () => [{ name: "canary" }] },
    },
  });
  await using client = testClient(app);
  for (const query of [
    "{ book { name } }",
    "{ book { other: name @include(if: true) } }",
    "{ books { name } }",
    "{ books { books { name } } }",
    "{ named { name } }",
    "{ named { ... on Book { name } } }",
    "{ thing { ... on Named { name } } }",
    "{ book { ...F } } fragment F on Named { name }",
    "mutation { add { name } }",
  ]) {
    const reply = await client.post("/graphql", { json: { query } });
    expect(reply.json()).toMatchObject({
      errors: expect.arrayContaining([
        expect.objectContaining({
          message: "members only",
          extensions: expect.objectContaining({ status: 403 }),
        }),
      ]),
    });
    expect(reply.text).not.toContain("canary");
  }
});

test("a refusal by the configured guards is an HTTP error", async () => {
  await using client = testClient(library({ guards: [() => false] }).app);
  expect((await client.post("/graphql", { json: { query: "{ now }" } })).status).toBe(403);
});

test("the context has the program's members, created for each operation", async () => {
  let created = 0;
  const app = new (App.with(graphql))().enableGraphql({
    schema: "type Query { count: Int }",
    resolvers: { Query: { count: (_: unknown, _args: object, context) => context.count } },
    context: () => ({ count: ++created }),
  });
  await using client = testClient(app);
  for (const count of [1, 2])
    expect((await client.post("/graphql", { json: { query: "{ count }" } })).json()).toEqual({
      data: { count },
    });
});

test("a loader batches the keys of one operation, and shares nothing with another", async () => {
  const { app, batches } = library();
  await using client = testClient(app);
  const json = { query: "{ books(first: 4) { author { name } } }" };
  const replies = await Promise.all([client.post("/graphql", { json }), client.post("/graphql", { json })]);
  for (const reply of replies)
    expect(reply.json<{ data: { books: unknown[] } }>().data.books).toEqual(
      ["1", "0", "1", "0"].map((id) => ({ author: { name: `Author ${id}` } })),
    );
  expect(batches).toEqual([
    ["1", "0"],
    ["1", "0"],
  ]);
});

test("after a mutation clears a loader's key, the new value is loaded", async () => {
  let title = "old";
  const titles = createLoader({
    name: "titles",
    batch: async (ids: readonly number[]) => ids.map(() => title),
  });
  const app = new (App.with(graphql))().enableGraphql({
    schema: "type Query { a: Int } type Mutation { title: String rename(to: String!): String }",
    resolvers: {
      Mutation: {
        title: (_: unknown, _args: object, context) => context.load(titles, 1),
        rename: (_: unknown, { to }: { to: string }, context) => {
          title = to;
          context.clear(titles, 1);
          return context.load(titles, 1);
        },
      },
    },
  });
  await using client = testClient(app);
  const reply = await client.post("/graphql", { json: { query: 'mutation { title rename(to: "new") }' } });
  expect(reply.json()).toEqual({ data: { title: "old", rename: "new" } });
});

test("a resolver or guards of an interface's field, which GraphQL never calls, are a start error", async () => {
  const schema = `
    type Query { named: Named }
    interface Named { name: String }
    type Book implements Named { name: String }
  `;
  const start = (resolvers: NonNullable<Parameters<typeof library>[0]>["resolvers"]) =>
    new (App.with(graphql))().enableGraphql({ schema, resolvers }).start();
  await expect(start({ Named: { name: () => "x" } })).rejects.toThrow("move its resolver to the types");
  const guards = [() => false];
  await expect(start({ Named: { name: { guards } } })).rejects.toThrow('move them to "Book.name"');
  const app = new (App.with(graphql))().enableGraphql({
    schema,
    resolvers: { Named: { name: { guards, cost: 2 } }, Book: { name: { guards } } },
  });
  await app.start();
  await app.stop();
});

test("mistakes of a schema are reported at start, with the nearest name", async () => {
  const start = (config: Parameters<typeof library>[0]) => library(config).app.start();
  await expect(start({ schema: "type Query {" })).rejects.toThrow("GRAPHQL_BAD_SCHEMA");
  await expect(start({ resolvers: { Query: { helo: () => 1 } } })).rejects.toThrow('did you mean "hello"?');
  const secret = field({ guard: [() => false] } as object, () => 1);
  await expect(start({ resolvers: { Query: { hello: secret } } })).rejects.toThrow(
    'the options of "Query.hello" has no field "guard"; did you mean "guards"?',
  );
  const guarded = field({ guards: () => false } as never, () => 1);
  await expect(start({ resolvers: { Query: { hello: guarded } } })).rejects.toThrow(
    "must be a list of guards",
  );
  await expect(start({ onlyDocuments: true })).rejects.toThrow("refuses every operation without `documents`");
  await expect(start({ resolvers: { Qery: {} } })).rejects.toThrow('did you mean "Query"?');
  const deferred = "directive @defer(if: Boolean) on FRAGMENT_SPREAD type Query { now: Int }";
  await expect(start({ schema: deferred, resolvers: {} })).rejects.toThrow(
    "@defer has no effect without `incremental`",
  );
  const withoutWebsocket = new (App.with(graphql))().enableGraphql({
    schema: "type Query { a: Int } type Subscription { b: Int }",
  });
  await expect(withoutWebsocket.start()).rejects.toThrow("compose websocket before graphql");
});

test("createLoader refuses limits that are not whole numbers of at least 1", () => {
  const batch = async (): Promise<readonly number[]> => [];
  for (const limits of [{ maxBatch: 0 }, { maxKeys: 0.5 }])
    expect(() => createLoader({ name: "none", batch, ...limits })).toThrow(
      "must be a whole number of at least 1",
    );
});

test("createLoader refuses unknown options and options of wrong types", () => {
  const wrong = { name: "none", batch: 3, id: "key", maxBatchh: 3 } as never;
  expect(() => createLoader(wrong)).toThrow(
    /no field "maxBatchh"; did you mean "maxBatch"[^]*batch must be a function[^]*id must be a function/,
  );
});
