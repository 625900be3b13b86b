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
