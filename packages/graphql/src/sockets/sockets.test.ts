import { UnauthorizedError } from "@framework/core";
import { waitFor } from "@framework/testing";
import { attacks, mistakes } from "../documents/attacks.test-kit.ts";
import { expect, test } from "@jest/globals";
import { subscription } from "../index.ts";
import { type Peer, serve } from "./served-library.test-kit.ts";

interface Payload {
  readonly data: { readonly floods: string };
}

const init = { type: "connection_init" };
const subscribe = (id: string, query: string) => ({ type: "subscribe", id, payload: { query } });

const ready = async (peer: Peer): Promise<Peer> => {
  peer.send(init);
  await waitFor(() => peer.messages.length === 1);
  expect(peer.messages.shift()).toEqual({ type: "connection_ack" });
  return peer;
};

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

test("an empty operationName names no operation over a socket too", async () => {
  const { open } = await serve();
  const peer = await ready(await open());
  peer.send({ type: "subscribe", id: "1", payload: { query: "{ now }", operationName: "" } });
  await waitFor(() => peer.messages.length > 0);
  expect(peer.messages[0]).toEqual({ id: "1", type: "next", payload: { data: { now: 7 } } });
});

test("queries and mutations run too, with the limits and the errors of HTTP", async () => {
  const { open } = await serve();
  const peer = await ready(await open());
  const queries = ["{ hello }", "{", `{ ${"now ".repeat(100)} }`, "subscription { guarded }", "{ refused }"];
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
});

test.each([
  ["subscribe before connection_init", [subscribe("1", "{ now }")], 4401],
  ["a second connection_init", [init, init], 4429],
  ["junk", ["junk"], 4400],
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

test("a client without the protocol is closed with 4406, one that never starts with 4408", async () => {
  const { open } = await serve({ initSecs: 0.05 });
  expect(await (await open("")).closed).toBe(4406);
  expect(await (await open()).closed).toBe(4408);
});

test("connect decides about the payload of connection_init", async () => {
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

test("complete aborts a query, and the end of the connection everything", async () => {
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

test("maxSubscriptions bounds the operations of a connection", async () => {
  const { open } = await serve({ maxSubscriptions: 2 });
  const peer = await ready(await open());
  for (const id of ["1", "2", "3"]) peer.send(subscribe(id, "subscription { waits }"));
  await waitFor(() => peer.messages.some(({ type }) => type === "error"));
  expect(peer.messages.find(({ type }) => type === "error")).toMatchObject({
    id: "3",
    payload: [{ extensions: { limit: "maxSubscriptions" } }],
  });
});

test("a subscription whose id an operation has just freed is aborted and counted as any other", async () => {
  const { open, events } = await serve({ maxSubscriptions: 5 });
  const counted = (event: string): number => events.filter((each) => each === event).length;
  const peer = await ready(await open());
  for (let id = 0; id < 20; id++) {
    peer.send(subscribe(String(id), "{ now }"));
    for (let pong = 0; pong < 10; pong++) peer.send({ type: "pong" });
    peer.send(subscribe(String(id), "subscription { waits }"));
  }
  await waitFor(() => peer.messages.some(({ type }) => type === "error"));
  peer.send({ type: "ping" });
  await waitFor(() => peer.messages.some(({ type }) => type === "pong"));
  expect(counted("waits")).toBeLessThanOrEqual(5);
  peer.close();
  await peer.closed;
  await waitFor(() => counted("closed") === counted("waits"));
});

test("a subscriber that does not read stops the source, and gets every event when it reads again", async () => {
  const bytes = 65_536;
  let made = 0;
  const { open } = await serve({
    schema: "type Query { now: Int } type Subscription { floods: String }",
    resolvers: {
      Query: { now: () => 7 },
      Subscription: {
        floods: subscription({}, async function* () {
          while (made < 2000) yield `${++made} ${"x".repeat(bytes)}`;
        }),
      },
    },
  });
  const [slow, other] = [await ready(await open()), await ready(await open())];
  slow.pause();
  slow.send(subscribe("1", "subscription { floods }"));
  const asked = async (): Promise<void> => {
    const answers = other.messages.length;
    other.send(subscribe("1", "{ now }"));
    await waitFor(() => other.messages.length === answers + 2);
  };
  await waitFor(() => made > 1);
  // The source has stopped when it makes nothing during many round trips of another connection.
  for (let idle = 0, last = 0; idle < 50; idle = made === last ? idle + 1 : 0) {
    last = made;
    await asked();
  }
  expect(made).toBeLessThan(500); // what the sockets of the two systems hold, and a queue of 64 KiB
  slow.resume();
  await waitFor(() => slow.messages.some(({ type }) => type === "complete"));
  const events = slow.messages.flatMap(({ payload }) => (payload as Payload | undefined)?.data.floods ?? []);
  expect(events.map((text) => Number(text.split(" ", 1)))).toEqual(
    Array.from({ length: 2000 }, (_, at) => at + 1),
  );
});

test("complete ends what still waits for its context, and the connection reads on", async () => {
  let asked = 0;
  const { open } = await serve({ context: () => (asked++ === 0 ? new Promise<object>(() => {}) : {}) });
  const peer = await ready(await open());
  peer.send(subscribe("1", "{ now }"));
  await waitFor(() => asked === 1);
  peer.send({ type: "complete", id: "1" });
  peer.send(subscribe("1", "{ now }"));
  await waitFor(() => peer.messages.some(({ type }) => type === "complete"));
  expect(peer.messages[0]).toMatchObject({ id: "1", payload: { data: { now: 7 } } });
});

test("events that come after the end of their subscription are closed", async () => {
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
  peer.send('{"type":"\\u0063omplete","id":"1"}'); // "complete", as JSON may spell it
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

test("a source that fails ends its subscription with a masked error, and the connection stays open", async () => {
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

test("a drain closes connections with 1001 and ends their subscriptions", async () => {
  const { open, events, stop } = await serve();
  const peer = await ready(await open());
  peer.send(subscribe("1", "subscription { waits }"));
  await waitFor(() => events.includes("waits"));
  await stop();
  expect(await peer.closed).toBe(1001);
  expect(events).toEqual(["waits", "aborted", "closed"]);
});

test("a message of a socket has the limit of a request's body", async () => {
  const { open } = await serve({ maxBodyBytes: 1000 });
  const peer = await open();
  peer.send({ type: "connection_init", payload: { text: "x".repeat(1000) } });
  expect(await peer.closed).toBe(1009);
});

test("variables of more than 100 levels are refused over a socket too, and the connection stays", async () => {
  const { open } = await serve();
  const peer = await ready(await open());
  for (const [id, levels] of [
    ["beyond", 101],
    ["far", 15_000],
  ] as const) {
    const tree = `${"[".repeat(levels)}${"]".repeat(levels)}`;
    peer.send(
      `{"type":"subscribe","id":"${id}","payload":{"query":"{ hello }","variables":{"tree":${tree}}}}`,
    );
    await waitFor(() => peer.messages.length === 1);
    const message = "Variables have at most 100 levels";
    expect(peer.messages.shift()).toMatchObject({ id, type: "error", payload: [{ message }] });
  }
  peer.send(subscribe("next", "{ hello }"));
  await waitFor(() => peer.messages.length === 2);
});

test("attacks are refused over a socket with the errors of HTTP, and the connection stays", async () => {
  const { open } = await serve({ introspection: false });
  const peer = await ready(await open());
  for (const { name, query, says } of [...attacks, ...mistakes]) {
    peer.send(subscribe(name, query));
    await waitFor(() => peer.messages.length === 1);
    const [message] = peer.messages.splice(0);
    expect([name, message]).toMatchObject([name, { id: name, type: "error" }]);
    expect([name, JSON.stringify(message)]).toEqual([name, expect.stringContaining(says)]);
  }
  peer.send(subscribe("last", "{ now }"));
  await waitFor(() => peer.messages.length === 2);
  expect(peer.messages[0]).toMatchObject({ id: "last", payload: { data: { now: 7 } } });
});
