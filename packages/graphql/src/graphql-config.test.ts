import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { GraphQLConfig } from "./index.ts";
import { library } from "./library.test-kit.ts";

const nested = (levels: number): string =>
  `{ book(id: 1) ${"{ author { books ".repeat(levels)} { id } ${"} }".repeat(levels)} }`;
const page = { headers: { accept: "text/html" } };
const types = { json: { query: "{ __schema { types { name } } }" } };

test("production() hides page and schema, and limits depth to 10 and cost to 1000", async () => {
  await using client = testClient(library(GraphQLConfig.production()).app);
  expect((await client.get("/graphql", page)).text).not.toContain("<html");
  expect((await client.post("/graphql", types)).text).toContain("Introspection is disabled");
  const limited = async (query: string) =>
    (await client.post("/graphql", { json: { query } })).json<{ errors?: object[] }>().errors?.[0];
  expect(await limited(nested(4))).toBeUndefined(); // depth 10
  expect(await limited(nested(5))).toMatchObject({ extensions: { limit: "maxDepth" } });
  expect(await limited("{ books(first: 999) { id } }")).toBeUndefined();
  expect(await limited("{ books(first: 1000) { id } }")).toMatchObject({
    extensions: { limit: "maxComplexity" },
  });
});

test("development() shows page and schema, takes batches and times operations, in every environment", async () => {
  await using client = testClient(library(GraphQLConfig.development()).app, { env: "production" });
  expect((await client.get("/graphql", page)).text).toContain("<html");
  expect((await client.post("/graphql", types)).json()).toHaveProperty("data");
  const batch = await client.post("/graphql", { json: [{ query: "{ now }" }] });
  expect(batch.json()).toMatchObject([{ data: { now: 7 }, extensions: { tracing: {} } }]);
});

test("options of the caller replace those of a preset, and mistakes are all reported at start", async () => {
  await using client = testClient(library(GraphQLConfig.production({ introspection: true })).app);
  expect((await client.post("/graphql", types)).json()).toHaveProperty("data");
  const wrong = { maxDepth: 0, path: "graphql", batching: "yes", maxDeph: 3 } as object;
  const start = library(wrong).app.start();
  for (const option of ["maxDepth", "path", "batching", "maxDeph"])
    await expect(start).rejects.toThrow(option);
});
