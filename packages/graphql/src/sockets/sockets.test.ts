// Longer than 250 lines: it tests how operations begin and end over one protocol, all with the same served library.
import { UnauthorizedError } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { GraphQLError, GraphQLScalarType } from "graphql";
import { subscription } from "../index.ts";
import { init, ready, serve, subscribe } from "./served-library.test-kit.ts";

test("a subscription sends its events and completes", async () => {
  const { open, events } = await serve();
  const peer = await ready(await open());
  peer.send(subscribe("1", "subscription { ticks(to: 2) }"));
  await waitFor(() => peer.messages.length === 3);
  expect(peer.messages).toEqual([
    { id: "1", type: "next", payload: { data: { ticks: 1 } } },
    { id: "1", type: "next", payload: { data: { ticks: 2 } } },
    { id: "1", type: "complete" },
  ]);
  expect(events).toEqual(["ticks ended"]);
});

test("an empty operationName is also ignored over a socket", async () => {
  const { open } = await serve();
  const peer = await ready(await open());
  peer.send({ type: "subscribe", id: "1", payload: { query: "{ now }", operationName: "" } });
  await waitFor(() => peer.messages.length > 0);
  expect(peer.messages[0]).toEqual({ id: "1", type: "next", payload: { data: { now: 7 } } });
});

test("queries and mutations also run over a socket, with the limits and the errors of HTTP", async () => {
  const { open } = await serve();
  const peer = await ready(await open());
  const queries = [
    "{ hello }",
    "{",
    `{ ${"now ".repeat(100)} }`,
    "subscription { guarded }",
    "{ refused }",
    'mutation { add(title: "Dune") { id } }',
  ];
  for (const [at, query] of queries.entries()) {
    peer.send(subscribe(String(at), query));
    await waitFor(() =>
      peer.messages.some(({ id, type }) => id === String(at) && (type === "complete" || type === "error")),
    );
  }
  const first = (id: string) => peer.messages.find((message) => message["id"] === id);
  expect(first("0")).toMatchObject({ type: "next", payload: { data: { hello: "Hello, you" } } });
  expect(first("1")).toMatchObject({ type: "error", payload: [{ extensions: { status: 400 } }] });
  expect(first("2")).toMatchObject({ type: "error", payload: [{ extensions: { limit: "maxAliases" } }] });
  expect(first("3")).toMatchObject({
    payload: { errors: [{ message: "members only", extensions: { status: 403 } }] },
  });
  expect(first("4")).toMatchObject({ payload: { errors: [{ extensions: { status: 403 } }] } });
  expect(first("5")).toMatchObject({ type: "next", payload: { data: { add: { id: "9" } } } });
});

test.each([
  ["subscribe before connection_init", [subscribe("1", "{ now }")], 4401],
  ["a second connection_init", [init, init], 4429],
  ["a message that is not JSON", ["junk"], 4400],
  ["a binary message", [Buffer.from("{}")], 4400],
  ["an id in use", [init, subscribe("1", "subscription { waits }"), subscribe("1", "{ now }")], 4409],
])("%s closes the connection", async (_name, messages, code) => {
  const { open } = await serve();
  const peer = await open();
  for (const message of messages) {
    peer.send(message);
    if (message === init && messages.length === 3) await waitFor(() => peer.messages.length > 0);
  }
  expect(await peer.closed).toBe(code);
});

test("a client without the subprotocol is closed with 4406, and a client that never sends connection_init with 4408", async () => {
  const { open } = await serve({ initSecs: 0.05 });
  expect(await (await open("")).closed).toBe(4406);
  expect(await (await open()).closed).toBe(4408);
});

test("connect accepts or refuses a connection by the payload of connection_init", async () => {
  const { open } = await serve({
    connect: ({ token }) => {
      if (token === undefined) throw new UnauthorizedError();
      return token === "right";
    },
  });
  const [missing, wrong, right] = [await open(), await open(), await open()];
  missing.send(init);
  wrong.send({ ...init, payload: { token: "wrong" } });
  right.send({ ...init, payload: { token: "right" } });
  expect([await missing.closed, await wrong.closed]).toEqual([4401, 4403]);
  await waitFor(() => right.messages.length === 1);
});

test("complete aborts a subscription that waits, closes its source, and frees its id", async () => {
  const { open, events } = await serve();
  const peer = await ready(await open());
  peer.send(subscribe("1", "subscription { waits }"));
  await waitFor(() => events.includes("waits"));
  peer.send({ type: "complete", id: "1" });
  peer.send(subscribe("1", "{ now }"));
  await waitFor(() => peer.messages.some(({ type }) => type === "complete"));
  expect(events).toEqual(["waits", "aborted", "closed"]);
  expect(peer.messages.slice(1)).toEqual([
    { id: "1", type: "next", payload: { data: { now: 7 } } },
    { id: "1", type: "complete" },
  ]);
});

test("complete aborts a query, and the end of the connection aborts a subscription", async () => {
  const { open, events } = await serve();
  const peer = await ready(await open());
  peer.send(subscribe("1", "{ hangs }"));
  await waitFor(() => events.length === 1);
  peer.send({ type: "complete", id: "1" });
  await waitFor(() => events.length === 2);
  peer.send(subscribe("2", "subscription { waits }"));
  await waitFor(() => events.length === 3);
  peer.close();
  await waitFor(() => events.includes("closed"));
  expect(events).toEqual(["waits", "aborted", "waits", "aborted", "closed"]);
});

test("complete ends an operation that still waits for its context, and the connection keeps reading", async () => {
  let contexts = 0;
  const { open } = await serve({ context: () => (contexts++ === 0 ? new Promise<object>(() => {}) : {}) });
  const peer = await ready(await open());
  peer.send(subscribe("1", "{ now }"));
  await waitFor(() => contexts === 1);
  peer.send({ type: "complete", id: "1" });
  peer.send(subscribe("1", "{ now }"));
  await waitFor(() => peer.messages.some(({ type }) => type === "complete"));
  expect(peer.messages[0]).toMatchObject({ id: "1", payload: { data: { now: 7 } } });
});

test("a source that resolves after the end of its subscription is closed", async () => {
  const events = Promise.withResolvers<AsyncIterable<number>>();
  const calls: string[] = [];
  const { open } = await serve({
    schema: "type Query { now: Int } type Subscription { late: Int }",
    resolvers: {
      Subscription: {
        late: subscription({}, () => {
          calls.push("subscribed");
          return events.promise;
        }),
      },
    },
  });
  const peer = await ready(await open());
  peer.send(subscribe("1", "subscription { late }"));
  await waitFor(() => calls.length === 1);
  peer.send('{"type":"\\u0063omplete","id":"1"}'); // "complete", with a JSON escape
  peer.send({ type: "ping" });
  await waitFor(() => peer.messages.some(({ type }) => type === "pong"));
  const source = {
    next: () => new Promise<never>(() => {}),
    return: async () => {
      calls.push("closed");
      return { done: true as const, value: undefined };
    },
  };
  events.resolve({ [Symbol.asyncIterator]: () => source });
  await waitFor(() => calls.length === 2);
  expect(calls).toEqual(["subscribed", "closed"]);
});

test("a source or document lookup that fails ends its operation with a masked error, and the connection stays open", async () => {
  const { open } = await serve({
    schema: "type Query { now: Int } type Subscription { fails: Int }",
    resolvers: {
      Query: { now: () => 7 },
      Subscription: {
        fails: subscription({}, async function* () {
          yield 1;
          throw new Error("canary");
        }),
      },
    },
    documents: () => Promise.reject(new Error("canary")),
  });
  const peer = await ready(await open());
  peer.send(subscribe("1", "subscription { fails }"));
  await waitFor(() => peer.messages.some(({ id, type }) => id === "1" && type === "error"));
  peer.send({ type: "subscribe", id: "2", payload: { query: "", documentId: "any" } });
  await waitFor(() => peer.messages.some(({ id, type }) => id === "2" && type === "error"));
  peer.send(subscribe("3", "{ now }"));
  await waitFor(() => peer.messages.some(({ id, type }) => id === "3" && type === "complete"));
  expect(JSON.stringify(peer.messages)).not.toContain("canary");
});

test("a result that JSON cannot express ends its operation with a masked error, and the connection stays open", async () => {
  const { open } = await serve({
    schema:
      "scalar Big type Query { now: Int big: Big } type Mutation { big: Big } type Subscription { bigs: Big }",
    resolvers: {
      Big: new GraphQLScalarType({ name: "Big", serialize: (value) => value }),
      Query: { now: () => 7, big: () => 1n },
      Mutation: { big: () => 1n },
      Subscription: {
        bigs: subscription({}, async function* () {
          yield 1n;
        }),
      },
    },
  });
  const peer = await ready(await open());
  for (const query of ["{ big }", "mutation { big }", "subscription { bigs }"]) {
    peer.send(subscribe("1", query));
    await waitFor(() => peer.messages.length === 1);
    expect(peer.messages.splice(0)).toMatchObject([
      {
        id: "1",
        type: "error",
        payload: [{ message: "An unexpected error occurred", extensions: { status: 500 } }],
      },
    ]);
  }
  peer.send(subscribe("1", "{ now }"));
  await waitFor(() => peer.messages.length === 2);
  expect(peer.messages[0]).toMatchObject({ id: "1", payload: { data: { now: 7 } } });
});

test("a GraphQLError of a source is shown with its own extensions, and ends its operation", async () => {
  const { open } = await serve({
    schema: "type Query { now: Int } type Subscription { ends: Int }",
    resolvers: {
      Subscription: {
        ends: subscription({}, async function* () {
          yield 1;
          throw new GraphQLError("The shop is closed", { extensions: { code: "CLOSED" } });
        }),
      },
    },
  });
  const peer = await ready(await open());
  peer.send(subscribe("1", "subscription { ends }"));
  await waitFor(() => peer.messages.length === 2);
  expect(peer.messages[1]).toEqual({
    id: "1",
    type: "error",
    payload: [{ message: "The shop is closed", extensions: { code: "CLOSED" } }],
  });
});

test("a drain closes connections with code 1001 and ends their subscriptions", async () => {
  const { open, events, stop } = await serve();
  const peer = await ready(await open());
  peer.send(subscribe("1", "subscription { waits }"));
  await waitFor(() => events.includes("waits"));
  await stop();
  expect(await peer.closed).toBe(1001);
  expect(events).toEqual(["waits", "aborted", "closed"]);
});
