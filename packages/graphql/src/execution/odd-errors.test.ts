import { testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { subscription } from "../index.ts";
import { library } from "../library.test-kit.ts";
import { ready, serve, subscribe } from "../sockets/served-library.test-kit.ts";

const throwing = (): never => {
  throw new Error("canary");
};

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** Values that a program may throw and GraphQL cannot read. */
const odd: Readonly<Record<string, () => unknown>> = {
  "an object without a prototype": () => Object.create(null) as object,
  "an object whose text throws": () => ({ toString: throwing }),
  "an error whose message throws": () => Object.defineProperty(new Error("x"), "message", { get: throwing }),
  "an error whose name throws": () => Object.defineProperty(new Error("x"), "name", { get: throwing }),
  "an error whose message is an object": () =>
    Object.assign(new Error("x"), { message: { toString: throwing } }),
  "an error whose message is a symbol": () => Object.assign(new Error("x"), { message: Symbol("x") }),
  "a revoked proxy": revoked,
};

const schema = "type Query { left: Int right: Int } type Subscription { events: Int }";

test.each(Object.entries(odd))(
  "%s, thrown by a subscription, ends that operation only",
  async (_title, make) => {
    const { open } = await serve({
      schema,
      resolvers: {
        Query: { right: () => 7 },
        Subscription: {
          events: subscription({}, async function* () {
            yield 1;
            throw make();
          }),
        },
      },
    });
    const peer = await ready(await open());
    peer.send(subscribe("1", "subscription { events }"));
    await waitFor(() => peer.messages.length === 2);
    expect(peer.messages).toEqual([
      { id: "1", type: "next", payload: { data: { events: 1 } } },
      {
        id: "1",
        type: "error",
        payload: [expect.objectContaining({ message: "An unexpected error occurred" })],
      },
    ]);
    peer.send(subscribe("2", "{ right }"));
    await waitFor(() => peer.messages.length > 2);
    expect(peer.messages[2]).toEqual({ id: "2", type: "next", payload: { data: { right: 7 } } });
  },
);

test.each(Object.entries(odd))("%s, thrown by a resolver, fails its field only", async (_title, make) => {
  const { app } = library({
    schema,
    resolvers: {
      Query: {
        left: () => {
          throw make();
        },
        right: () => 7,
      },
    },
  });
  await using client = testClient(app, { env: "production" });
  const reply = await client.post("/graphql", { json: { query: "{ left right }" } });
  expect(reply.json()).toEqual({
    data: { left: null, right: 7 },
    errors: [expect.objectContaining({ message: "An unexpected error occurred", path: ["left"] })],
  });
});
