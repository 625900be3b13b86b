import { Writable } from "node:stream";
import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { jobs } from "@framework/jobs";
import { logging } from "@framework/logging";
import { memoryBroker, messaging } from "@framework/messaging";
import { saga, sagas } from "@framework/saga";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { tracedService } from "./traced-app.test-kit.ts";
import { telemetry } from "./telemetry.ts";

/** Creates a stream that collects the lines written to it, parsed. */
const lineStream = () => {
  const parsed: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of String(chunk).split("\n").filter(Boolean))
        parsed.push(JSON.parse(line) as Record<string, unknown>);
      done();
    },
  });
  return { parsed, stream };
};

test.each(["database", "memory"])(
  "one trace connects a request with its message (broker: %s), its job, the log lines of both, and its saga",
  async (kind) => {
    const { parsed, stream } = lineStream();
    const app = new (App.with(telemetry, logging, database, durable, messaging, jobs, sagas))()
      .enableLogging({ format: "json", destination: stream })
      .enableDatabase({ url: "sqlite://:memory:" })
      .enableMessaging(kind === "memory" ? { broker: memoryBroker() } : {})
      .enableSaga();
    const service = await tracedService({}, { app });
    const [handled, mailed, paid] = [0, 1, 2].map(() => Promise.withResolvers<void>()) as [
      PromiseWithResolvers<void>,
      PromiseWithResolvers<void>,
      PromiseWithResolvers<void>,
    ];
    app.messaging.subscribe("orders", { group: "search" }, async () => {
      app.log().info("indexed");
      handled.resolve();
    });
    const mail = app.jobs.define("mail", { input: z.object({ to: z.string() }) }, async () => {
      app.log().info("mailed");
      mailed.resolve();
    });
    const pay = saga("order", 1, z.object({ id: z.string() }))
      .call("pay", () => paid.resolve())
      .build();
    app.saga.define(pay);
    app.post("/orders", async () => {
      app.log().info("ordered");
      await app.messaging.send("orders", { type: "order.placed", data: { id: "7" } });
      await Promise.all([mail.enqueue({ to: "ann" }), mail.enqueue({ to: "bob" })]);
      await app.saga.start(pay, { id: "7" }, { key: "7" });
      return "placed";
    });
    await (await app.fetch(new Request("http://shop.test/orders", { method: "POST" }))).text();
    await Promise.all([handled.promise, mailed.promise, paid.promise]);
    const { spans } = await service.finish();
    const request = spans.find(({ name }) => name === "POST /orders");
    const traced = spans.filter(({ traceId }) => traceId === request?.traceId);
    const names = new Set(traced.map(({ name }) => name));
    expect(names).toEqual(
      names.union(new Set(["send orders", "process orders", "work jobs:mail", "saga order pay"])),
    );
    const send = traced.find(({ name }) => name === "send orders");
    expect(traced.find(({ name }) => name === "process orders")?.parentSpanId).toBe(send?.spanId);
    const ids = Object.fromEntries(parsed.map(({ message, trace_id: id }) => [message, id]));
    expect(ids).toMatchObject({
      ordered: request?.traceId,
      indexed: request?.traceId,
      mailed: request?.traceId,
    });
    await service[Symbol.asyncDispose]();
  },
);
