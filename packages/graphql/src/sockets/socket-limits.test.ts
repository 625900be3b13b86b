import { waitFor } from "@framework/testing";
import { attacks, mistakes } from "../documents/attacks.test-kit.ts";
import { expect, test } from "@jest/globals";
import { subscription } from "../index.ts";
import { ready, serve, subscribe } from "./served-library.test-kit.ts";

interface Payload {
  readonly data: { readonly floods: string };
}

test("maxSubscriptions limits the concurrent operations of a connection", async () => {
  const { open } = await serve({ maxSubscriptions: 2 });
  const peer = await ready(await open());
  for (const id of ["1", "2", "3"]) peer.send(subscribe(id, "subscription { waits }"));
  await waitFor(() => peer.messages.some(({ type }) => type === "error"));
  expect(peer.messages.find(({ type }) => type === "error")).toMatchObject({
    id: "3",
    payload: [{ extensions: { limit: "maxSubscriptions" } }],
  });
});

test("a subscriber that does not read stops the source, and gets every event when it reads again", async () => {
  const bytes = 65_536;
  const events = 1000;
  let created = 0;
  const { open } = await serve({
    schema: "type Query { now: Int } type Subscription { floods: String }",
    resolvers: {
      Query: { now: () => 7 },
      Subscription: {
        floods: subscription({}, async function* () {
          while (created < events) yield `${++created} ${"x".repeat(bytes)}`;
        }),
      },
    },
  });
  const [slow, other] = [await ready(await open()), await ready(await open())];
  slow.pause();
  slow.send(subscribe("1", "subscription { floods }"));
  const roundTrip = async (): Promise<void> => {
    const count = other.messages.length;
    other.send(subscribe("1", "{ now }"));
    await waitFor(() => other.messages.length === count + 2);
  };
  await waitFor(() => created > 1);
  // The source has stopped if it produces nothing during 50 round trips of another connection.
  for (let idle = 0, last = 0; idle < 50; idle = created === last ? idle + 1 : 0) {
    last = created;
    await roundTrip();
  }
  expect(created).toBeLessThan(500); // the events in the socket buffers of both sides and a queue of 64 KiB
  slow.resume();
  await waitFor(() => slow.messages.some(({ type }) => type === "complete"));
  const texts = slow.messages.flatMap(({ payload }) => (payload as Payload | undefined)?.data.floods ?? []);
  expect(texts.map((text) => Number(text.split(" ", 1)))).toEqual(
    Array.from({ length: events }, (_, at) => at + 1),
  );
});

test("large and small results of one connection are sent in the order of their operations", async () => {
  const bytes = 20_000_000;
  let created = 0;
  const { open } = await serve({
    schema: "type Query { now: Int large: String }",
    resolvers: {
      Query: {
        now: () => 7,
        large() {
          created++;
          return "x".repeat(bytes);
        },
      },
    },
  });
  const peer = await ready(await open());
  peer.pause();
  for (const id of ["1", "2", "3"]) {
    peer.send(subscribe(id, "{ large }"));
    peer.send(subscribe(`${id} small`, "{ now }"));
  }
  await waitFor(() => created === 3);
  peer.resume();
  await waitFor(() => peer.messages.length === 12);
  const sizes = peer.messages.flatMap(({ payload }) =>
    payload === undefined ? [] : [JSON.stringify(payload).length > bytes],
  );
  expect(sizes).toEqual([true, false, true, false, true, false]);
});

test("the server stops reading a client that pings without reading, and sends every pong once it reads", async () => {
  const { open } = await serve();
  const [slow, other] = [await ready(await open()), await ready(await open())];
  slow.pause();
  const [pings, bytes] = [1000, 60_000];
  const ping = JSON.stringify({ type: "ping", payload: { text: "x".repeat(bytes) } });
  for (let sent = 0; sent < pings; sent++) slow.send(ping);
  const roundTrip = async (): Promise<void> => {
    const count = other.messages.length;
    other.send(subscribe("1", "{ now }"));
    await waitFor(() => other.messages.length === count + 2);
  };
  for (let idle = 0, last = 0; idle < 50; idle = slow.unsentBytes === last ? idle + 1 : 0) {
    last = slow.unsentBytes;
    await roundTrip();
  }
  expect(slow.unsentBytes).toBeGreaterThan(20_000_000); // system buffers have at most 38 MB
  slow.resume();
  await waitFor(() => slow.messages.length === pings);
  expect(slow.messages.every(({ type }) => type === "pong")).toBe(true);
});

test("maxBodyBytes also limits the messages of a socket", async () => {
  const { open } = await serve({ maxBodyBytes: 1000 });
  const peer = await open();
  peer.send({ type: "connection_init", payload: { text: "x".repeat(1000) } });
  expect(await peer.closed).toBe(1009);
});

test("variables of more than 100 levels are also refused over a socket, and the connection stays open", async () => {
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

test("attacks are refused over a socket with the errors of HTTP, and the connection stays open", async () => {
  const { open } = await serve({ introspection: false });
  const peer = await ready(await open());
  for (const { name, query, replyText } of [...attacks, ...mistakes]) {
    peer.send(subscribe(name, query));
    await waitFor(() => peer.messages.length === 1);
    const [message] = peer.messages.splice(0);
    expect([name, message]).toMatchObject([name, { id: name, type: "error" }]);
    expect([name, JSON.stringify(message)]).toEqual([name, expect.stringContaining(replyText)]);
  }
  peer.send(subscribe("last", "{ now }"));
  await waitFor(() => peer.messages.length === 2);
  expect(peer.messages[0]).toMatchObject({ id: "last", payload: { data: { now: 7 } } });
});
