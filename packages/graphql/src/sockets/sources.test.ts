import { HttpError } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { GraphQLError } from "graphql";
import { subscription } from "../index.ts";
import { init, ready, serve, subscribe } from "./served-library.test-kit.ts";

/** An async iterable whose iterator has this method `next`. */
const iterable = (next: () => unknown): object => ({ [Symbol.asyncIterator]: () => ({ next }) });

test("a source may return its steps without promises, and a GraphQLError that it throws is shown", async () => {
  const { open } = await serve({
    schema: "type Query { now: Int } type Subscription { counts: Int fails: Int }",
    resolvers: {
      Subscription: {
        counts: subscription({}, () => {
          let count = 0;
          return iterable(() =>
            ++count > 2 ? { done: true, value: undefined } : { done: false, value: count },
          );
        }),
        fails: subscription({}, () =>
          iterable(() => {
            throw new GraphQLError("The shop is closed", { extensions: { code: "CLOSED" } });
          }),
        ),
      },
    },
  });
  const peer = await ready(await open());
  peer.send(subscribe("1", "subscription { counts }"));
  await waitFor(() => peer.messages.length === 3);
  expect(peer.messages.splice(0)).toEqual([
    { id: "1", type: "next", payload: { data: { counts: 1 } } },
    { id: "1", type: "next", payload: { data: { counts: 2 } } },
    { id: "1", type: "complete" },
  ]);
  peer.send(subscribe("2", "subscription { fails }"));
  await waitFor(() => peer.messages.length === 1);
  expect(peer.messages).toEqual([
    { id: "2", type: "error", payload: [{ message: "The shop is closed", extensions: { code: "CLOSED" } }] },
  ]);
});

test.each([
  [403, 4403],
  [503, 4403],
  [500, 1011],
])("connect that throws an HttpError %d closes with %d", async (status, code) => {
  const { open } = await serve({
    connect: () => {
      throw new HttpError(status, "canary");
    },
  });
  const peer = await open();
  peer.send(init);
  expect(await peer.closed).toBe(code);
});
