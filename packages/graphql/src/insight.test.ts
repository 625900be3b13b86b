import { App } from "@framework/core";
import type { Feature, Metric, TracedOperation } from "@framework/core/feature";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { graphql } from "./index.ts";

test("an operation is published with its type and name, and counted with its outcome", async () => {
  const seen: TracedOperation[] = [];
  let metrics: () => readonly Metric[] = () => [];
  const spy: Feature = {
    name: "spy",
    install: (host) => {
      host.insight.onOperation({
        kinds: ["graphql"],
        start: () => null,
        end: (operation) => void seen.push(operation),
      });
      metrics = () => host.insight.metrics();
      return {};
    },
  };
  const app = new (App.with(graphql, spy))().enableGraphql({
    schema: "type Query { a: Int }",
    resolvers: { Query: { a: () => 1 } },
  });
  await using client = testClient(app);
  for (const query of [
    "query Mine { a }",
    "query($x: Int!) { a @skip(if: false) ... @include(if: true) { b: a } }",
  ])
    await client.post("/graphql", { json: { query } });
  expect(seen.map(({ name, role, attributes }) => [name, role, attributes])).toEqual([
    ["query", "server", { "graphql.operation.type": "query", "graphql.operation.name": "Mine" }],
  ]);
  const counter = metrics().find(({ name }) => name === "graphql_operations_total");
  expect(counter?.read()).toEqual([{ labels: { type: "query", outcome: "ok" }, value: 1 }]);
});
