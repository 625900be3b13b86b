// Dependencies at every entry point: `inject` and `Depends` give a handler the same value, which is disposed when the call ends.
import { App, dependency, Depends } from "@framework/core";
import { command, cqrs, query } from "@framework/cqrs";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { createLoader, field, graphql, type GraphqlContext } from "@framework/graphql";
import { grpc, grpcService } from "@framework/grpc";
import { grpcClient } from "@framework/grpc/client";
import { jobs } from "@framework/jobs";
import { messaging } from "@framework/messaging";
import { saga, sagas } from "@framework/saga";
import { waitFor } from "@framework/testing";
import { websocket } from "@framework/websocket";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { z } from "zod";

/** Recorded events of dependencies and handlers. */
const events: string[] = [];

const Session = dependency("session", {
  scope: "invocation",
  create: (_dependencies, { kind, name }) => {
    const label = `${kind} ${name}`;
    events.push(`open ${label}`);
    return { label };
  },
  dispose: ({ label }) => void events.push(`close ${label}`),
});
const inject = { session: Session };

/** Records the end of a handler, with the values of both arguments. */
const recordEnd = async (
  { label }: { readonly label: string },
  other: object & { readonly label: string },
) => {
  await Promise.resolve();
  events.push(`${label} and ${other.label}`);
};

const empty = z.object({});
const schemas = { input: empty, output: empty };
const Change = command("Change", schemas);
const Read = query("Read", schemas);
const service = grpcService("calls.v1.Calls", { methods: { Call: { request: empty, response: empty } } });
const loader = createLoader({
  name: "sessions",
  inject,
  batch: async (keys: readonly string[], _context, { session }, other = Depends(Session)) => {
    await recordEnd(session, other);
    return keys;
  },
});
const steps = saga("steps", 1)
  .call("call", (_context, { session }, other = Depends(Session)) => recordEnd(session, other), { inject })
  .build();

const testDatabase = databaseInFile();
const app = new (App.with(websocket, graphql, grpc, database, durable, messaging, jobs, cqrs, sagas))()
  .enableDatabase({ url: testDatabase.url })
  .enableDurable({ pollMinMs: 5, pollMaxMs: 50 })
  .enableMessaging()
  .enableCqrs()
  .enableSaga()
  .enableGrpc({ address: "127.0.0.1:0" })
  .enableGraphql({
    schema: "type Query { field: Boolean loaded: String }",
    resolvers: {
      Query: {
        field: field(
          { inject },
          async (_source, _args, _context, _info, { session }, other = Depends(Session)) => {
            await recordEnd(session, other);
            return true;
          },
        ),
        loaded: (_source: unknown, _args: object, context: GraphqlContext) => context.load(loader, "a"),
      },
    },
  });
app.get("/route", { inject }, async (_request, { session }, other = Depends(Session)) => {
  await recordEnd(session, other);
  return "done";
});
app.websocket("/socket", { injectEach: inject }, async (socket) => {
  await socket.each((_message, { session }, other = Depends(Session)) => recordEnd(session, other));
});
app.addGrpcService(
  service,
  {
    async Call(_request, _call, { session }, other = Depends(Session)) {
      await recordEnd(session, other);
      return {};
    },
  },
  { inject },
);
app.messaging.subscribe(
  "topic",
  { group: "group", inject },
  (_message, _context, { session }, other = Depends(Session)) => recordEnd(session, other),
);
const job = app.jobs.define("job", { inject }, (_input, _run, { session }, other = Depends(Session)) =>
  recordEnd(session, other),
);
for (const operation of [Change, Read] as const)
  app.cqrs.handle(operation, { inject }, async (_input, _context, { session }, other = Depends(Session)) => {
    await recordEnd(session, other);
    return {};
  });
app.saga.define(steps);

let close: () => Promise<void>;
let url: string;
beforeAll(async () => {
  const running = await app.run({ port: 0, logs: false, argv: [], exitOnError: false });
  url = running.url.replace(/\/$/, "");
  close = () => running.close();
}, 120_000);
afterAll(async () => {
  await close();
  await testDatabase[Symbol.asyncDispose]();
});

const post = (json: unknown): Promise<unknown> =>
  fetch(`${url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(json),
  }).then((reply) => reply.json());

const callGrpc = async (): Promise<void> => {
  const client = grpcClient(service, `127.0.0.1:${app.grpcAddress?.port}`);
  await client.Call({});
  client.close();
};

const sendOverSocket = async (): Promise<void> => {
  const socket = new WebSocket(`${url.replace("http", "ws")}/socket`);
  socket.on("open", () => socket.send("hello"));
  await waitFor(() => events.length === 3, { subject: "the handler to end", timeoutMs: 60_000 });
  socket.close();
};

test.each<[entry: string, call: () => Promise<unknown>, label: string]>([
  ["a route", () => fetch(`${url}/route`), "http GET /route"],
  ["a message of a socket", sendOverSocket, "websocket /socket"],
  ["a GraphQL field", () => post({ query: "{ field }" }), "graphql query"],
  ["a GraphQL loader", () => post({ query: "{ loaded }" }), "graphql query"],
  ["a gRPC call", callGrpc, "grpc calls.v1.Calls/Call"],
  ["a message", () => app.messaging.send("topic", { type: "t" }), "message t"],
  ["a job", () => job.enqueue(), "job jobs:job"],
  ["a command", () => app.cqrs.execute(Change, {}), "command Change"],
  ["a query", () => app.cqrs.query(Read, {}), "query Read"],
  ["a step of a saga", () => app.saga.start(steps, null, { key: "k" }), "saga steps call"],
])(
  "%s gets the same dependency by inject and by Depends, disposed after its handler has ended",
  async (_entry, call, label) => {
    events.length = 0;
    await call();
    await waitFor(() => events.length >= 3, { subject: "the end of the call", timeoutMs: 60_000 });
    expect(events).toEqual([`open ${label}`, `${label} and ${label}`, `close ${label}`]);
  },
);
