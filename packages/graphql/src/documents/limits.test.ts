import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { getIntrospectionQuery } from "graphql";
import { field } from "../index.ts";
import { library } from "../library.test-kit.ts";

const nested = (levels: number): string =>
  `{ book(id: 1) ${"{ author { books ".repeat(levels)} { id } ${"} }".repeat(levels)} }`;
const aliases = (count: number): string =>
  `{ ${Array.from({ length: count }, (_, at) => `a${at}: now`).join(" ")} }`;
const doubling = (levels: number): string =>
  [
    "{ books { ...F0 } }",
    ...Array.from(
      { length: levels },
      (_, at) => `fragment F${at} on Book { author { books { ...F${at + 1} } } similar { ...F${at + 1} } }`,
    ),
    `fragment F${levels} on Book { id }`,
  ].join(" ");

const attacks: readonly (readonly [name: string, query: string, limit: string])[] = [
  ["depth", nested(20), "maxDepth"],
  [
    "depth through fragments",
    `{ books { ...F } } fragment F on Book ${nested(20).slice(nested(20).indexOf("{ author"), -2)}`,
    "maxDepth",
  ],
  ["aliases", aliases(16), "maxAliases"],
  ["repeated fields", `{ ${"now ".repeat(500)} }`, "maxAliases"],
  ["repeated fields in inline fragments", `{ ${"... { now } ".repeat(200)} }`, "maxAliases"],
  ["directives", `{ now ${"@skip(if: false) ".repeat(51)} }`, "maxDirectives"],
  [
    "many fragments",
    `{ ...F0 } ${Array.from({ length: 51 }, (_, at) => `fragment F${at} on Query { now }`).join(" ")}`,
    "maxFragments",
  ],
  ["doubling fragments", doubling(9), "maxFields"],
];

test.each(attacks)(
  "a document over a limit is refused by POST, GET and batch: %s",
  async (_name, query, limit) => {
    await using client = testClient(library({ batching: true, maxAliases: 15 }).app);
    const accept = { accept: "application/graphql-response+json" };
    const refusal = { errors: [{ extensions: { status: 400, limit } }] };
    const post = await client.post("/graphql", { json: { query }, headers: accept });
    expect([post.status, post.json()]).toMatchObject([400, refusal]);
    const get = await client.get("/graphql", { query: { query }, headers: accept });
    expect([get.status, get.json()]).toMatchObject([400, refusal]);
    const batch = await client.post("/graphql", { json: [{ query }] });
    expect(batch.json()).toMatchObject([refusal]);
  },
);

test("a document with too many tokens or characters is refused", async () => {
  await using client = testClient(library({ maxDocumentLength: 20_000 }).app);
  const tokens = await client.post("/graphql", { json: { query: `{ ${"now ".repeat(2000)} }` } });
  expect(tokens.json()).toMatchObject({ errors: [{ extensions: { limit: "maxTokens" } }] });
  const dense = await client.post("/graphql", { json: { query: `{${"!".repeat(3000)}` } });
  expect(dense.json()).toMatchObject({ errors: [{ extensions: { limit: "maxTokens" } }] });
  const comments = await client.post("/graphql", { json: { query: `{ now } ${"#\n".repeat(2001)}` } });
  expect(comments.json()).toMatchObject({ errors: [{ extensions: { limit: "maxTokens" } }] });
  const long = await client.post("/graphql", { json: { query: `{ now } #${"x".repeat(20_000)}` } });
  expect(long.json()).toMatchObject({ errors: [{ extensions: { limit: "maxDocumentLength" } }] });
});

test("a document that would overflow the parser's stack is refused", async () => {
  await using client = testClient(
    library({
      maxTokens: 1_000_000,
      maxDepth: 1_000_000,
      maxDocumentLength: 1_000_000,
      maxBodyBytes: 1_000_000,
    }).app,
  );
  const reply = await client.post("/graphql", { json: { query: "{a".repeat(100_000) } });
  expect([reply.status, reply.text]).toMatchObject([200, expect.stringContaining("nested too deeply")]);
});

test("variables of more than 100 levels are refused", async () => {
  await using client = testClient(library({ maxBodyBytes: 1_000_000 }).app);
  const variables = (levels: number): string =>
    `${'{"nested":'.repeat(levels - 1)}{"name":"x"}${"}".repeat(levels - 1)}`;
  const query = "query($tree: Tree) { leaf(tree: $tree) }";
  const post = (levels: number) =>
    client.post("/graphql", {
      body: `{"query":${JSON.stringify(query)},"variables":{"tree":${variables(levels)}}}`,
      headers: { "content-type": "application/json" },
    });
  expect((await post(90)).json()).toEqual({ data: { leaf: "found" } });
  expect((await post(20_000)).json()).toMatchObject({ errors: [{ extensions: { status: 400 } }] });
  const get = await client.get("/graphql", { query: { query, variables: `{"tree":${variables(1000)}}` } });
  const message = 'The parameter "variables" is nested deeper than 100 levels';
  expect([get.status, get.json()]).toMatchObject([400, { errors: [{ message }] }]);
});

test("a fragment that contains itself is refused", async () => {
  await using client = testClient(library().app);
  const query =
    "{ books { ...A } } fragment A on Book { similar { ...B } } fragment B on Book { similar { ...A } }";
  const reply = await client.post("/graphql", { json: { query } });
  expect(reply.text).toContain("contains itself");
});

test.each([
  ["{ books(first: 5) { id } }", 6],
  ["query($n: Int) { books(first: $n) { id } }", 6],
  ["query($n: Int = 5) { books(first: $n) { id } }", 6],
  ["{ books(first: 5) { similar(first: 3) { id } } }", 1 + 5 * (2 + 3)],
  ["{ books(first: 5) { ...F } } fragment F on Book { id title }", 11],
  ["{ page { id } }", 1 + 50],
  ["query($n: Int) { page(limit: $unset) { id } }".replace("$n", "$unset"), 1 + 50],
  ["{ page(limit: null) { id } }", 1 + 50],
  ["query($none: Int) { page(limit: $none) { id } }", 1 + 50],
  ["{ page(limit: 2) { id } }", 1 + 2],
  ["{ tags(first: 40) }", 40],
  ["{ node { rating } }", 1 + 9],
])("maxComplexity: %s costs %d", async (query, cost) => {
  const json = { query, variables: query.includes("= 5") ? {} : { n: 5, none: null } };
  await using enough = testClient(library({ maxComplexity: cost }).app);
  expect((await enough.post("/graphql", { json })).json()).toHaveProperty("data");
  await using less = testClient(library({ maxComplexity: cost - 1 }).app);
  expect((await less.post("/graphql", { json })).json()).toMatchObject({
    errors: [{ extensions: { limit: "maxComplexity" } }],
  });
});

test("a repeated fragment name is refused before validation, which would read the unmeasured fragment", async () => {
  const large = `fragment F on Query { ${"now ".repeat(900)} }`;
  const small = "fragment F on Query { now }";
  await using client = testClient(library().app);
  for (const fragments of [large + small, small + large, small + small]) {
    const json = { query: `{ ...F } ${fragments}` };
    expect((await client.post("/graphql", { json })).json()).toEqual({
      errors: [
        {
          message: 'There can be only one fragment named "F".',
          extensions: expect.objectContaining({ status: 400 }),
        },
      ],
    });
  }
});

test("a list size of the type Float also counts for maxComplexity, and an infinite size exceeds it", async () => {
  const { app } = library({
    schema: `
      type Query { books(first: Float): [Book] many(limit: Float = 1e6): [Book] }
      type Book { free: Int priced: Int }
    `,
    resolvers: { Query: { books: () => [] }, Book: { free: field({ cost: 0 }, () => 1) } },
    maxComplexity: 100,
  });
  await using client = testClient(app);
  const limited = { errors: [{ extensions: { limit: "maxComplexity" } }] };
  const infinite = "9".repeat(400);
  for (const [query, outcome] of [
    ["{ books(first: 99.0) { priced } }", { data: { books: [] } }],
    ["{ books(first: 1e6) { priced } }", limited],
    ["{ books(first: 1000000.0) { priced } }", limited],
    ["{ many { priced } }", limited],
    ["{ books(first: 1e6) { free } }", { data: { books: [] } }],
    [`{ books(first: ${infinite}) { free } }`, limited],
  ] as const)
    expect((await client.post("/graphql", { json: { query } })).json()).toMatchObject(outcome);
});

test("the cost of an interface's field has the highest default size of its implementations", async () => {
  const { app } = library({
    schema: `
      type Query { shop: Shop }
      interface Shop { items(first: Int): [Item] }
      type Small implements Shop { items(first: Int = 2): [Item] }
      type Large implements Shop { items(first: Int, limit: Int = 500): [Item] }
      type Item { id: Int }
    `,
    resolvers: { Query: { shop: () => null }, Shop: { __resolveType: () => "Small" } },
    maxComplexity: 100,
  });
  await using client = testClient(app);
  for (const [query, outcome] of [
    ["{ shop { items { id } } }", { errors: [{ extensions: { limit: "maxComplexity" } }] }],
    ["{ shop { ... on Small { items { id } } } }", { data: { shop: null } }],
  ] as const)
    expect((await client.post("/graphql", { json: { query } })).json()).toMatchObject(outcome);
});

test("maxDepth counts fragments of introspection separately, and lists of the schema have their own limit", async () => {
  await using client = testClient(library({ introspection: true, maxDepth: 10 }).app, { env: "production" });
  const reply = await client.post("/graphql", { json: { query: getIntrospectionQuery() } });
  expect(reply.json()).toHaveProperty("data.__schema.types");
  const lists = "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }";
  expect((await client.post("/graphql", { json: { query: lists } })).text).toContain(
    "Maximum introspection depth exceeded",
  );
  const beside = `{ __typename ${nested(10).slice(1)}`;
  expect((await client.post("/graphql", { json: { query: beside } })).json()).toMatchObject({
    errors: [{ extensions: { limit: "maxDepth" } }],
  });
});

test("introspection and suggestions are only enabled in development, unless configured", async () => {
  const types = { json: { query: "{ __schema { types { name } } }" } };
  const hidden = { json: { query: '{ ... { __type(name: "Book") { name } } }' } };
  await using production = testClient(library().app, { env: "production" });
  for (const body of [types, hidden])
    expect((await production.post("/graphql", body)).text).toContain("Introspection is disabled");
  expect((await production.post("/graphql", { json: { query: "{ helo }" } })).text).not.toContain("hello");
  await using open = testClient(library({ introspection: true }).app, { env: "production" });
  expect((await open.post("/graphql", types)).json()).toHaveProperty("data");
  await using development = testClient(library().app);
  for (const body of [types, hidden])
    expect((await development.post("/graphql", body)).json()).toHaveProperty("data");
  expect((await development.post("/graphql", { json: { query: "{ helo }" } })).text).toContain("hello");
});
