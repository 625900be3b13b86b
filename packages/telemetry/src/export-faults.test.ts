import type { ServerResponse } from "node:http";
import { expect, test } from "@jest/globals";
import { type ProxyTracerProvider, type Span, SpanStatusCode, trace } from "@opentelemetry/api";
import { virtualClock } from "@framework/core/testing";
import { waitFor } from "@framework/testing";
import type { ReadableSpan, TracerProvider } from "@opentelemetry/sdk-trace";
import { listExporter } from "./export/batch-exporter.ts";
import { SpanQueue } from "./export/span-queue.ts";
import { get, newApp, tracedService, type TracedApp } from "./traced-app.test-kit.ts";

interface Counts {
  readonly waiting: number;
  readonly sent: number;
  readonly dropped: { readonly full: number; readonly failed: number; readonly stopped: number };
}
const counts = (app: TracedApp): Counts => app.snapshot()["telemetry"] as Counts;
const silent = { info() {}, warn() {}, error() {} };

const getMany = async (app: TracedApp, times: number): Promise<void> => {
  const replies = await Promise.all(Array.from({ length: times }, () => get(app, "/")));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
};

test("with an unavailable collector requests succeed, and every span is counted as dropped", async () => {
  const warnings: string[] = [];
  const app = newApp().enableTelemetry({
    otlpEndpoint: "http://127.0.0.1:9", // the port of `discard`: nothing listens
    batchSize: 10,
    batchDelayMs: 1,
    exportTimeoutMs: 1,
    exportMetrics: false,
  });
  app.get("/", () => "here");
  await app.start({ env: "production", log: { ...silent, warn: (text) => void warnings.push(text) } });
  await getMany(app, 20);
  await waitFor(() => counts(app).dropped.failed === 20);
  expect(counts(app)).toEqual({ waiting: 0, sent: 0, dropped: { full: 0, failed: 20, stopped: 0 } });
  expect(warnings).toEqual([expect.stringContaining("spans were dropped")]);
  await app.stop();
});

test("an export that gets 429 is retried after Retry-After, and its spans arrive once", async () => {
  const times: number[] = [];
  await using service = await tracedService(
    { exportMetrics: false, batchDelayMs: 1 },
    {
      fault: (reply, count) => {
        times.push(performance.now());
        if (count > 1) return false;
        reply.writeHead(429, { "retry-after": "2" }).end();
        return true;
      },
    },
  );
  service.app.get("/", () => "here");
  await getMany(service.app, 5);
  await waitFor(() => counts(service.app).sent === 5);
  expect([service.receiver.spans.length, times.length]).toEqual([5, 2]);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(1900); // the exporter's own delay is about a second
});

test("an export that gets 400 is not retried, and its spans are dropped", async () => {
  await using service = await tracedService(
    { exportMetrics: false, batchDelayMs: 1 },
    { fault: (reply) => (reply.writeHead(400).end(), true) },
  );
  service.app.get("/", () => "here");
  await service.app.start({ log: silent });
  await getMany(service.app, 3);
  await waitFor(() => counts(service.app).dropped.failed === 3);
  expect(service.receiver.requests).toHaveLength(1);
});

/** Returns a partial-success response. @param rejected number of rejected spans */
const partialSuccess = (rejected: number, message: string): Buffer => {
  const part = [8, rejected, 18, message.length, ...Buffer.from(message)];
  return Buffer.from([10, part.length, ...part]);
};

test("spans that the collector rejects are counted as dropped and logged with its reason, warnings are logged", async () => {
  const bodies = [partialSuccess(2, "too old"), partialSuccess(0, "send less")];
  const warnings: string[] = [];
  const clock = virtualClock();
  await using service = await tracedService(
    { exportMetrics: false, batchSize: 5, batchDelayMs: 600_000, clock },
    {
      fault: (reply, count) => {
        reply.writeHead(200, { "content-type": "application/x-protobuf" }).end(bodies[count - 1]);
        return true;
      },
    },
  );
  const { app } = service;
  app.get("/", () => "here");
  await app.start({ log: { ...silent, warn: (text) => void warnings.push(text) } });
  await getMany(app, 5);
  await waitFor(() => counts(app).sent > 0);
  expect(counts(app)).toEqual({ waiting: 0, sent: 3, dropped: { full: 0, failed: 2, stopped: 0 } });
  await clock.advance(60_000); // the log is throttled
  await getMany(app, 5);
  await waitFor(() => counts(app).sent === 8);
  await getMany(app, 5); // a response without a message
  await waitFor(() => counts(app).sent === 13);
  expect(warnings).toEqual([
    "telemetry: 2 spans were dropped: the collector rejected them: too old",
    "telemetry: a warning of the collector: send less",
  ]);
});

test("a hanging collector only fills the queue; requests succeed, and the stop ends at its deadline", async () => {
  const clock = virtualClock();
  const pending: ServerResponse[] = [];
  await using service = await tracedService(
    { exportMetrics: false, batchSize: 10, queueSize: 30, clock },
    { fault: (reply) => pending.push(reply) > 0 },
  );
  const { app, receiver } = service;
  app.get("/", () => "here");
  await app.start({ log: silent });
  await getMany(app, 10);
  await waitFor(() => receiver.requests.length === 1);
  await getMany(app, 100);
  expect(counts(app)).toEqual({ waiting: 40, sent: 0, dropped: { full: 70, failed: 0, stopped: 0 } });
  const stopped = app.stop();
  await waitFor(async () => (await clock.advance(1000), counts(app).dropped.stopped === 40));
  await stopped;
  for (const reply of pending) reply.writeHead(400).end(); // the SDK's exporter would try again, in real time
});

test("a program's flush that waits for a hanging collector ends with the stop", async () => {
  const clock = virtualClock();
  const pending: ServerResponse[] = [];
  await using service = await tracedService(
    { exportMetrics: false, clock },
    { fault: (reply) => pending.push(reply) > 0 },
  );
  const { app, receiver } = service;
  app.get("/", () => "here");
  await app.start({ log: silent });
  await get(app, "/");
  const provider = trace.getTracerProvider() as ProxyTracerProvider;
  const flushed = (provider.getDelegate() as TracerProvider).forceFlush();
  await waitFor(() => receiver.requests.length === 1);
  const stopped = app.stop();
  await waitFor(async () => (await clock.advance(1000), counts(app).dropped.stopped === 1));
  await stopped;
  await expect(flushed).resolves.toBeUndefined();
  expect(clock.pending).toBe(0);
  for (const reply of pending) reply.writeHead(400).end(); // the SDK's exporter would try again, in real time
});

test("the stop sends queued spans", async () => {
  await using service = await tracedService({ batchDelayMs: 600_000 });
  service.app.get("/", () => "here");
  await getMany(service.app, 7);
  expect(counts(service.app).waiting).toBe(7);
  expect((await service.finish()).spans).toHaveLength(7);
});

test("a span that cannot be encoded is dropped and logged, and the other spans of its batch arrive", async () => {
  const app = newApp();
  const warnings: string[] = [];
  await using service = await tracedService({ exportMetrics: false }, { app });
  const mistakes: ((span: Span) => unknown)[] = [
    (span) => span.addEvent(undefined as never),
    (span) => span.updateName(undefined as never),
  ];
  app.get("/{id}", ({ params: { id } }) => {
    const span = trace.getActiveSpan();
    if (span !== undefined) mistakes[Number(id)]?.(span);
    return "here";
  });
  await app.start({ log: { ...silent, warn: (text) => void warnings.push(text) } });
  for (const id of [2, 0, 1, 3]) expect((await get(app, `/${id}`)).status).toBe(200);
  const { spans } = await service.finish();
  expect(spans.map(({ attributes }) => attributes["url.path"])).toEqual(["/2", "/3"]);
  expect(counts(app)).toEqual({ waiting: 0, sent: 2, dropped: { full: 0, failed: 2, stopped: 0 } });
  expect(warnings).toEqual([expect.stringContaining("telemetry: 1 spans were dropped: ")]); // at most one a minute
});

test("methods of a span accept null and undefined, as those of the SDK do", async () => {
  await using service = await tracedService({ exportMetrics: false });
  const nothing = [null, undefined] as never[];
  service.app.get("/", () => {
    const span = trace.getActiveSpan();
    for (const each of nothing) {
      span?.recordException(each);
      span?.addEvent("nothing", each);
      span?.setAttributes(each);
      span?.setStatus({ code: SpanStatusCode.ERROR, message: each });
    }
    return "here";
  });
  expect((await get(service.app, "/")).status).toBe(200);
  const { spans } = await service.finish();
  expect(spans[0]?.events.map(({ name }) => name)).toEqual(["exception", "nothing", "exception", "nothing"]);
});

test("an exporter that throws or never responds loses only its batch", async () => {
  const clock = virtualClock();
  const exported: number[] = [];
  const queue = new SpanQueue({
    exporter: listExporter({
      export(spans, done) {
        exported.push(spans.length);
        if (exported.length === 1) throw new Error("broken");
        if (exported.length > 2) done({ code: 0 });
      },
      shutdown: () => Promise.resolve(),
    }),
    queueSize: 10,
    batchSize: 2,
    delayMs: 100,
    timeoutMs: 1000,
    clock,
    withoutTracing: (work) => work(),
    onFailure: () => {},
  });
  const span = { spanContext: () => ({ traceFlags: 1 }) } as unknown as ReadableSpan; // the members that the queue reads
  for (let made = 0; made < 5; made++) queue.onEnd(span);
  expect([exported, queue.dropped.failed]).toEqual([[2, 2], 2]);
  await clock.advance(1000);
  expect([exported, queue.dropped.failed, queue.sent]).toEqual([[2, 2], 4, 0]);
  await clock.advance(100);
  expect([exported, queue.sent, queue.size]).toEqual([[2, 2, 1], 1, 0]);
  await queue.close(AbortSignal.abort());
  queue.onEnd(span);
  expect(queue.dropped).toEqual({ full: 0, failed: 4, stopped: 1 });
});
