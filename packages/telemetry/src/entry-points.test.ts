import { once } from "node:events";
import { App } from "@framework/core";
import { command, cqrs, query } from "@framework/cqrs";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { graphql } from "@framework/graphql";
import { grpc, grpcService } from "@framework/grpc";
import { grpcClient } from "@framework/grpc/client";
import { websocket } from "@framework/websocket";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import type { ReceivedSpan } from "./otlp-decoder.test-kit.ts";
import { tracedService } from "./traced-app.test-kit.ts";
import { telemetry } from "./telemetry.ts";

const Borrow = command("Borrow", {
  input: z.object({ book: z.string() }),
  output: z.object({ days: z.number() }),
});
const Shelf = query("Shelf", { input: z.object({}), output: z.array(z.string()) });
const catalog = grpcService("books.v1.Catalog", {
  methods: { GetBook: { request: z.object({ id: z.int() }), response: z.object({ title: z.string() }) } },
});
const [traceId, caller] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
const traceparent = `00-${traceId}-${caller}-01`;

/** Returns the name, kind and parent of each span, in the order in which the spans ended. */
const shape = (spans: readonly ReceivedSpan[]) => {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  return spans.map(({ name, kind, parentSpanId }) => [name, kind, names.get(parentSpanId) ?? parentSpanId]);
};

test("the command and the query of GraphQL operations continue the caller's trace, as does the command's statement", async () => {
  const app = new (App.with(telemetry, database, durable, cqrs, graphql))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  app.cqrs
    .handle(Borrow, async ({ book }, { tx }) => {
      await tx.execute`SELECT ${book}`;
      return { days: 14 };
    })
    .handle(Shelf, async () => ["Emma"]);
  app.enableGraphql({
    schema: "type Query { shelf: [String!]! } type Mutation { borrow(book: String!): Int! }",
    resolvers: {
      Query: { shelf: () => app.cqrs.query(Shelf, {}) },
      Mutation: {
        borrow: async (_: unknown, { book }: { book: string }) =>
          (await app.cqrs.execute(Borrow, { book })).value.days,
      },
    },
  });
  await using service = await tracedService({}, { app });
  for (const text of ['mutation Lend { borrow(book: "Emma") }', "{ shelf }"]) {
    const body = JSON.stringify({ query: text });
    const headers = { "content-type": "application/json", traceparent };
    await (
      await app.fetch(new Request("http://shop.test/graphql", { method: "POST", body, headers }))
    ).text();
  }
  const { spans } = await service.finish();
  const ofTrace = spans.filter((span) => span.traceId === traceId);
  expect(shape(ofTrace)).toEqual(
    expect.arrayContaining([
      ["POST /graphql", "server", caller],
      ["graphql mutation", "server", "POST /graphql"],
      ["command Borrow", "internal", "graphql mutation"],
      ["SELECT", "client", "command Borrow"],
      ["graphql query", "server", "POST /graphql"],
      ["query Shelf", "internal", "graphql query"],
    ]),
  );
  expect(ofTrace.find(({ name }) => name === "graphql mutation")?.attributes).toMatchObject({
    "graphql.operation.type": "mutation",
    "graphql.operation.name": "Lend",
  });
});

test("a gRPC call continues the trace of its metadata, with the name and attributes of the semantic conventions", async () => {
  const app = new (App.with(telemetry, grpc))().enableGrpc({ address: "127.0.0.1:0" });
  await using service = await tracedService({}, { app });
  app.addGrpcService(catalog, {
    GetBook: async ({ id }) => {
      await (await fetch(`${service.receiver.url}/shelf?id=${id}`)).text();
      return { title: "Dune" };
    },
  });
  const running = await app.run({ port: 0, logs: false, argv: [], exitOnError: false });
  const client = grpcClient(catalog, `127.0.0.1:${app.grpcAddress?.port}`);
  await client.GetBook({ id: 1 }, { metadata: { traceparent } });
  client.close();
  await running.close();
  const { spans } = await service.finish();
  expect(shape(spans.filter((span) => span.traceId === traceId))).toEqual([
    ["GET", "client", "books.v1.Catalog/GetBook"],
    ["books.v1.Catalog/GetBook", "server", caller],
  ]);
  expect(spans.find(({ kind }) => kind === "server")?.attributes).toMatchObject({
    "rpc.system": "grpc",
    "rpc.service": "books.v1.Catalog",
    "rpc.method": "GetBook",
  });
});

test("a gRPC call of a method that does not exist is a span in the trace of its caller", async () => {
  const app = new (App.with(telemetry, grpc))().enableGrpc({ address: "127.0.0.1:0" });
  await using service = await tracedService({}, { app });
  app.addGrpcService(catalog, { GetBook: () => ({ title: "Dune" }) });
  const running = await app.run({ port: 0, logs: false, argv: [], exitOnError: false });
  const other = grpcService("books.v1.Catalog", {
    methods: { GetBok: { request: z.object({ id: z.int() }), response: z.object({ title: z.string() }) } },
  });
  const client = grpcClient(other, `127.0.0.1:${app.grpcAddress?.port}`);
  await expect(client.GetBok({ id: 1 }, { metadata: { traceparent } })).rejects.toMatchObject({
    status: "UNIMPLEMENTED",
  });
  client.close();
  await running.close();
  const { spans } = await service.finish();
  expect(shape(spans.filter((span) => span.traceId === traceId))).toEqual([["_OTHER", "server", caller]]);
  expect(spans.find(({ kind }) => kind === "server")?.attributes).toMatchObject({
    "rpc.system": "grpc",
    "rpc.method": "_OTHER",
    "rpc.method_original": "books.v1.Catalog/GetBok",
    "rpc.grpc.status_code": 12,
  });
});

test("a call of the app's gRPC client is a span, which the called service continues", async () => {
  const app = new (App.with(telemetry, grpc))().enableGrpc({ address: "127.0.0.1:0" });
  await using service = await tracedService({}, { app });
  app.addGrpcService(catalog, {
    GetBook: async ({ id }) => {
      if (id === 2) return { title: "Dune" };
      using other = app.grpcClient(catalog, `127.0.0.1:${app.grpcAddress?.port}`);
      return await other.GetBook({ id: 2 });
    },
  });
  const running = await app.run({ port: 0, logs: false, argv: [], exitOnError: false });
  using client = grpcClient(catalog, `127.0.0.1:${app.grpcAddress?.port}`);
  await client.GetBook({ id: 1 }, { metadata: { traceparent } });
  await running.close();
  const { spans } = await service.finish();
  const name = "books.v1.Catalog/GetBook";
  const chain = spans.filter((span) => span.traceId === traceId).toReversed();
  expect(chain.map((span) => [span.name, span.kind])).toEqual([
    [name, "server"],
    [name, "client"],
    [name, "server"],
  ]);
  expect(chain.map(({ parentSpanId }) => parentSpanId)).toEqual([caller, chain[0]?.spanId, chain[1]?.spanId]);
});

test("a WebSocket connection is a span in the trace of its upgrade, and so is each message", async () => {
  const app = new (App.with(telemetry, websocket))();
  await using service = await tracedService({}, { app });
  app.websocket("/feed", (socket) => socket.each((message) => socket.sendText(message.text)));
  const running = await app.run({ port: 0, logs: false, argv: [], exitOnError: false });
  const socket = new WebSocket(`${running.url.replace("http", "ws")}/feed`);
  await once(socket, "open");
  for (const text of ["one", "two"]) {
    socket.send(text);
    await once(socket, "message");
  }
  socket.close();
  await once(socket, "close");
  await running.close();
  const { spans } = await service.finish();
  const session = spans.find(({ name, kind }) => name === "websocket /feed" && kind === "server");
  const messages = spans.filter(({ kind }) => kind === "consumer");
  expect(messages).toHaveLength(2);
  expect(new Set(messages.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([session?.spanId]));
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([session?.traceId]));
});
