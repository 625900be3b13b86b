import { App } from "@framework/core";
import type { Feature, Metric, TracedOperation } from "@framework/core/feature";
import { testClient, waitFor } from "@framework/testing";
import { websocket } from "@framework/websocket";
import { expect, test } from "@jest/globals";
import { graphql } from "./index.ts";

const createSpy = () => {
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
  return {
    spy,
    seen,
    read: (metric: string) =>
      metrics()
        .find(({ name }) => name === metric)
        ?.read(),
  };
};

test("an operation is published with its type and name, and counted with its outcome; an operation without a required variable is neither", async () => {
  const { spy, seen, read } = createSpy();
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
  expect(read("graphql_operations_total")).toEqual([{ labels: { type: "query", outcome: "ok" }, value: 1 }]);
});

test("operations that fail outside of resolvers and refused operations are counted", async () => {
  const { spy, read } = createSpy();
  const app = new (App.with(graphql, spy))().enableGraphql({
    schema: "type Query { a: Int }",
    context: () => {
      throw new Error("no context");
    },
  });
  await using client = testClient(app);
  expect((await client.post("/graphql", { json: { query: "{ a }" } })).status).toBe(500);
  expect(read("graphql_operations_total")).toEqual([
    { labels: { type: "query", outcome: "error" }, value: 1 },
  ]);
  for (const query of ["{", "{ nowhere }", `{ ${"a ".repeat(20)} }`])
    await client.post("/graphql", { json: { query } });
  expect(read("graphql_refused_operations_total")).toBe(3);
});

test("an operation above maxSubscriptions is counted as refused", async () => {
  const { spy, read } = createSpy();
  const app = new (App.with(websocket, graphql, spy))().enableGraphql({
    schema: "type Query { waits: Int }",
    maxSubscriptions: 1,
    resolvers: {
      Query: {
        waits: (_: unknown, _args: object, { signal }) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve(null))),
      },
    },
  });
  const running = await app.run({ port: 0, logs: false, argv: [], exitOnError: false });
  const client = new WebSocket(`${running.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
  const types: unknown[] = [];
  client.addEventListener("message", ({ data }) =>
    types.push((JSON.parse(String(data)) as { type: string }).type),
  );
  client.addEventListener("open", () => client.send('{"type":"connection_init"}'));
  await waitFor(() => types.length === 1);
  for (const id of ["1", "2"])
    client.send(JSON.stringify({ type: "subscribe", id, payload: { query: "{ waits }" } }));
  await waitFor(() => types.length === 2);
  expect([types, read("graphql_refused_operations_total")]).toEqual([["connection_ack", "error"], 1]);
  client.close();
  await running.close();
});
