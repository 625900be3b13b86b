import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, type Message, messaging } from "../index.ts";

const traceparent = `00-${"1".repeat(32)}-${"2".repeat(16)}-01`;

/** A tracer whose current trace has baggage of a client. */
const tracing: Feature = {
  name: "tracing",
  install(host) {
    const headers = () => ({ traceparent, baggage: `user=${"x".repeat(800)}` });
    host.insight.provideTrace(() => ({ traceId: "1".repeat(32), spanId: "2".repeat(16), headers }));
    return {};
  },
};

test("a forwarded trace context is replaced by the current one of the same trace; one of another trace is kept, as is baggage", async () => {
  const app = new (App.with(messaging, tracing))().enableMessaging({ broker: memoryBroker() });
  const got: (string | undefined)[][] = [];
  app.messaging.subscribe("books", { group: "search", order: "partition" }, ({ headers }) => {
    got.push([headers["traceparent"], headers["tracestate"], headers["baggage"]]);
  });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const parent = `00-${"1".repeat(32)}-${"3".repeat(16)}-01`;
  const other = `00-${"4".repeat(32)}-${"3".repeat(16)}-01`;
  for (const sent of [parent, other])
    await app.messaging.send("books", {
      type: "t",
      headers: { traceparent: sent, tracestate: "a=b", baggage: "shop=1" },
    });
  await waitFor(() => got.length === 2, { timeoutMs: 60_000 });
  expect(got).toEqual([
    [traceparent, undefined, "shop=1"],
    [other, "a=b", "shop=1"],
  ]);
  await app.stop();
});

test("headers without room for the trace context omit first its baggage, then all of it", async () => {
  const app = new (App.with(messaging, tracing))().enableMessaging({
    broker: memoryBroker(),
    maxHeaderBytes: 1024,
  });
  const got: Message[] = [];
  app.messaging.subscribe("books", { group: "search", order: "partition" }, (each) => void got.push(each));
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const own = 1024 - "content-typeapplication/cloudevents+jsonx-own".length;
  for (const length of [50, 500, own])
    await app.messaging.send("books", { type: "t", headers: { "x-own": "x".repeat(length) } });
  const tooLong = { type: "t", headers: { "x-own": "x".repeat(own + 1) } };
  await expect(app.messaging.send("books", tooLong)).rejects.toMatchObject({ code: "MESSAGING_TOO_LARGE" });
  await waitFor(() => got.length === 3, { timeoutMs: 60_000 });
  expect(got.map(({ headers }) => Object.keys(headers).toSorted().join())).toEqual([
    "baggage,traceparent,x-own",
    "traceparent,x-own",
    "x-own",
  ]);
  await app.stop();
});
