import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { serve } from "./served-library.test-kit.ts";

test("over a socket, each part of a result is a separate message", async () => {
  const { open } = await serve({ incremental: true });
  const peer = await open();
  peer.send({ type: "connection_init" });
  const query = "{ now ... @defer { hello broken } }";
  peer.send({ id: "1", type: "subscribe", payload: { query } });
  peer.send({ id: "2", type: "subscribe", payload: { query: "{ hello }" } });
  await waitFor(() => peer.messages.filter(({ type }) => type === "complete").length === 2);
  const [first, last] = peer.messages.filter(({ id, type }) => id === "1" && type === "next");
  expect(first?.["payload"]).toMatchObject({ data: { now: 7 }, hasNext: true });
  expect(last?.["payload"]).toMatchObject({
    incremental: [
      {
        data: { hello: "Hello, you", broken: null },
        errors: [{ extensions: { detail: "An unexpected error occurred", status: 500 } }],
      },
    ],
    hasNext: false,
  });
  const whole = peer.messages.find(({ id, type }) => id === "2" && type === "next");
  expect(whole?.["payload"]).toEqual({ data: { hello: "Hello, you" } });
});

test("a client that completes an operation between its parts aborts its resolvers", async () => {
  const { open, events } = await serve({ incremental: true });
  const peer = await open();
  peer.send({ type: "connection_init" });
  peer.send({ id: "1", type: "subscribe", payload: { query: "{ now ... @defer { hangs } }" } });
  await waitFor(() => events.includes("waits"));
  peer.send({ id: "1", type: "complete" });
  await waitFor(() => events.includes("aborted"));
  expect(events).toEqual(["waits", "aborted"]);
});

test("subscriptions also work with incremental enabled", async () => {
  const { open } = await serve({ incremental: true });
  const peer = await open();
  peer.send({ type: "connection_init" });
  peer.send({ id: "1", type: "subscribe", payload: { query: "subscription { ticks(to: 2) }" } });
  await waitFor(() => peer.messages.some(({ type }) => type === "complete"));
  expect(peer.messages.filter(({ type }) => type === "next").map(({ payload }) => payload)).toEqual([
    { data: { ticks: 1 } },
    { data: { ticks: 2 } },
  ]);
});
