import { Server, ServerCredentials } from "@grpc/grpc-js";
import { expect, test } from "@jest/globals";
import {
  decodeMetrics,
  decodeSpans,
  type ReceivedMetric,
  type ReceivedSpan,
} from "./otlp-decoder.test-kit.ts";
import { get, newApp } from "./traced-app.test-kit.ts";

const method = (path: string) => ({
  path,
  requestStream: false,
  responseStream: false,
  requestSerialize: (bytes: Buffer) => bytes,
  requestDeserialize: (bytes: Buffer) => bytes,
  responseSerialize: (bytes: Buffer) => bytes,
  responseDeserialize: (bytes: Buffer) => bytes,
});

test("spans and metrics arrive over OTLP/gRPC", async () => {
  const spans: ReceivedSpan[] = [];
  const metrics: ReceivedMetric[] = [];
  const server = new Server();
  const keep =
    <T>(into: T[], decode: (bytes: Uint8Array) => T[]) =>
    ({ request }: { readonly request: Buffer }, done: (error: null, reply: Buffer) => void): void => {
      into.push(...decode(request));
      done(null, Buffer.alloc(0));
    };
  server.addService(
    { Export: method("/opentelemetry.proto.collector.trace.v1.TraceService/Export") },
    { Export: keep(spans, decodeSpans) },
  );
  server.addService(
    { Export: method("/opentelemetry.proto.collector.metrics.v1.MetricsService/Export") },
    { Export: keep(metrics, decodeMetrics) },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  try {
    const app = newApp().enableTelemetry({ otlpEndpoint: `http://127.0.0.1:${port}`, protocol: "grpc" });
    app.get("/{id}", () => "x");
    await get(app, "/7");
    await app.stop();
    expect(spans).toMatchObject([{ name: "GET /{id}", kind: "server" }]);
    expect(metrics.map(({ name }) => name).slice(0, 2)).toEqual([
      "http.server.request.duration",
      "http.server.active_requests",
    ]);
  } finally {
    server.forceShutdown();
  }
});
