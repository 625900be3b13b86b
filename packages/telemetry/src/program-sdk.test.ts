import { context, metrics, propagation, SpanKind, type TextMapPropagator, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { afterEach, expect, test } from "@jest/globals";
import { get, tracedService } from "./traced-app.test-kit.ts";

afterEach(() => {
  for (const api of [trace, context, propagation, metrics]) api.disable();
});

test("a program's own SDK gets the spans and metrics, controls propagation, and stays registered", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meters = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: metricExporter })],
  });
  const own: TextMapPropagator = { inject() {}, extract: (given) => given, fields: () => [] };
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(own);
  metrics.setGlobalMeterProvider(meters);
  await using service = await tracedService();
  service.app.get("/{id}", () => trace.getActiveSpan()?.spanContext().spanId ?? "none");
  const reply = await get(service.app, "/7", { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` });
  await meters.forceFlush();
  const { requests } = await service.finish();
  expect(requests).toEqual([]);
  const [span] = exporter.getFinishedSpans();
  expect(span).toMatchObject({ name: "GET /{id}", attributes: { "http.response.status_code": 200 } });
  expect(span?.parentSpanContext).toBeUndefined();
  expect(await reply.text()).toBe(span?.spanContext().spanId);
  const recorded = metricExporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  expect(recorded.map(({ descriptor }) => descriptor.name)).toContain("http.server.request.duration");
  expect(trace.getTracer("shop").startSpan("after").isRecording()).toBe(true);
});

test("within the server span of the program's instrumentation the app creates no second span, and sets the route", async () => {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  await using service = await tracedService();
  service.app.get("/books/{id}", () => trace.getActiveSpan()?.spanContext().spanId ?? "none");
  await service.app.start();
  const span = trace.getTracer("instrumentation").startSpan("GET", { kind: SpanKind.SERVER });
  const reply = await context.with(trace.setSpan(context.active(), span), () => get(service.app, "/books/7"));
  expect(await reply.text()).toBe(span.spanContext().spanId);
  span.end();
  await service.finish();
  expect(exporter.getFinishedSpans().map(({ name, attributes }) => [name, attributes])).toEqual([
    ["GET /books/{id}", { "http.route": "/books/{id}" }],
  ]);
});

test("two apps in one process each export their own spans", async () => {
  await using one = await tracedService({ serviceName: "one" });
  await using two = await tracedService({ serviceName: "two" });
  for (const { app } of [one, two]) {
    app.get("/", () => trace.getActiveSpan()?.spanContext().traceId ?? "none");
    await get(app, "/");
  }
  for (const [name, service] of [
    ["one", one],
    ["two", two],
  ] as const) {
    const { spans } = await service.finish();
    expect(spans.map(({ resource }) => resource["service.name"])).toEqual([name]);
  }
});
