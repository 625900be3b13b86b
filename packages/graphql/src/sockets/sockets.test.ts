import { once } from "node:events";
import type { ConfigInput } from "@framework/core/feature";
import { UnauthorizedError } from "@framework/core";
import { waitFor } from "@framework/testing";
import { afterEach, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import type { GraphQLConfig } from "../index.ts";
import { type Library, library } from "../library.test-kit.ts";

interface Peer {
  readonly messages: Record<string, unknown>[];
  readonly closed: Promise<number>;
  send(message: unknown): void;
  close(): void;
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

const serve = async (
  config: ConfigInput<GraphQLConfig> = {},
): Promise<Library & { open(protocol?: string): Promise<Peer> }> => {
  const parts = library(config);
  const running = await parts.app.run({ port: 0, logs: false, argv: [], exitOnError: false });
  cleanups.push(() => running.close());
  const url = `${running.url.replace(/\/$/, "").replace("http", "ws")}/graphql`;
  return {
    ...parts,
    async open(protocol = "graphql-transport-ws") {
      const client = new WebSocket(url, protocol === "" ? [] : [protocol]);
      cleanups.push(() => client.terminate());
      const messages: Record<string, unknown>[] = [];
      client.on("message", (data: Buffer) => messages.push(JSON.parse(data.toString())));
      const closed = once(client, "close").then(([code]) => code as number);
      await once(client, "open");
      return {
        messages,
        closed,
        send: (message) =>
          client.send(
            typeof message === "object" && !Buffer.isBuffer(message)
              ? JSON.stringify(message)
              : (message as string),
          ),
        close: () => client.close(),
      };
    },
  };
};

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

test("a drain closes connections with 1001 and ends their subscriptions", async () => {
  const { open, events } = await serve();
  const peer = await ready(await open());
  peer.send(subscribe("1", "subscription { waits }"));
  await waitFor(() => events.includes("waits"));
  const [close] = cleanups.splice(0, 1);
  await close?.();
  expect(await peer.closed).toBe(1001);
  expect(events).toEqual(["waits", "aborted", "closed"]);
});
