import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { library } from "../library.test-kit.ts";

const documents = { greet: "query Greet($name: String!) { hello(name: $name) }" };
const variables = { name: "Ada" };
const greeting = { data: { hello: "Hello, Ada" } };

test("a registered document is executed by its id, over POST and GET", async () => {
  await using client = testClient(library({ documents, onlyDocuments: true }).app);
  const post = await client.post("/graphql", { json: { documentId: "greet", variables } });
  expect(post.json()).toEqual(greeting);
  const get = await client.get("/graphql", {
    query: { documentId: "greet", variables: JSON.stringify(variables) },
  });
  expect(get.json()).toEqual(greeting);
  const hash = { extensions: { persistedQuery: { version: 1, sha256Hash: "greet" } } };
  expect((await client.post("/graphql", { json: { ...hash, variables } })).json()).toEqual(greeting);
});

test("onlyDocuments refuses other queries, and never registers one", async () => {
  await using client = testClient(library({ documents, onlyDocuments: true }).app);
  const extensions = { persistedQuery: { version: 1, sha256Hash: "other" } };
  const refused = [{ query: "{ hello }" }, { query: "{ hello }", extensions }, { extensions }];
  for (const json of [...refused, { documentId: "toString" }])
    expect((await client.post("/graphql", { json })).json()).not.toHaveProperty("data");
});

test("an unknown hash alone is refused, and a query that is sent with it is executed", async () => {
  const extensions = { persistedQuery: { version: 1, sha256Hash: "other" } };
  for (const [config, code] of [
    [{ documents }, "PERSISTED_QUERY_NOT_FOUND"],
    [{}, "PERSISTED_QUERY_NOT_SUPPORTED"],
  ] as const) {
    await using client = testClient(library(config).app);
    const hash = await client.post("/graphql", { json: { extensions } });
    expect(hash.json()).toMatchObject({ errors: [{ extensions: { code } }] });
    const both = await client.post("/graphql", { json: { query: "{ now }", extensions } });
    expect(both.json()).toEqual({ data: { now: 7 } });
  }
});

test("documents may come from a function", async () => {
  await using client = testClient(
    library({ documents: async (id) => (id === "a" ? "{ hello }" : null) }).app,
  );
  expect((await client.post("/graphql", { json: { documentId: "a" } })).json()).toHaveProperty("data");
  const unknown = await client.post("/graphql", { json: { documentId: "b" } });
  expect(unknown.text).toContain("PERSISTED_QUERY_NOT_FOUND");
});

test("a registered document that does not fit the schema fails the start", async () => {
  const { app } = library({ documents: { bad: "{ nowhere }" } });
  await expect(app.start()).rejects.toThrow(/document "bad" is refused: Cannot query field "nowhere"/);
});
