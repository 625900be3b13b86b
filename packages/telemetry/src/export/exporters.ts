import { FrameworkError } from "@framework/core";
import type { PushMetricExporter } from "@opentelemetry/sdk-metrics";
import type { OTLPExporterConfigBase } from "@opentelemetry/otlp-exporter-base";
import { type BatchExporter, type ExportCallback, listExporter, type SpanBatch } from "./batch-exporter.ts";
import { PartialSuccess } from "./partial-success.ts";
import { ProtoWriter } from "./proto-writer.ts";
import { EncodedSpans } from "./span-bytes.ts";
import type { Destination } from "../settings/destinations.ts";

/** Creates the exporter of spans; `null` if they are not exported. @throws TELEMETRY_NEEDS_GRPC */
export const createSpanExporter = async (
  { to, url }: Destination,
  timeoutMillis: number,
): Promise<BatchExporter | null> => {
  if (to === "none") return null;
  if (to === "console")
    return listExporter(new (await import("@opentelemetry/sdk-trace")).ConsoleSpanExporter());
  if (to === "http") return httpSpanExporter({ url, timeoutMillis });
  const { OTLPTraceExporter } = await importExporter(import("@opentelemetry/exporter-trace-otlp-grpc"));
  return listExporter(new OTLPTraceExporter({ url, timeoutMillis }));
};

/** Creates the SDK's HTTP exporter, with its environment variables and retries, and the encoder of this package. */
const httpSpanExporter = async (options: OTLPExporterConfigBase): Promise<BatchExporter> => {
  const [http, { ProtobufTraceSerializer, TraceExporterMetricsHelper }] = await Promise.all([
    import("@opentelemetry/otlp-exporter-base/node-http"),
    import("@opentelemetry/otlp-transformer"),
  ]);
  const type = { "Content-Type": "application/x-protobuf" };
  const writers: ProtoWriter[] = [];
  const recycle = (writer: ProtoWriter): void => {
    if (writers.length < SPARE_WRITERS) writers.push(writer);
  };
  const partial = new PartialSuccess();
  const delegate = http.createOtlpHttpExportDelegate(
    http.convertLegacyHttpOptions(options, "TRACES", "v1/traces", type),
    {
      serializeRequest: (spans: EncodedSpans) => spans.take(recycle),
      deserializeResponse: (bytes) => partial.record(ProtobufTraceSerializer.deserializeResponse(bytes)),
    },
    "otlp_http_span_exporter",
    { name: TraceExporterMetricsHelper.name, countItems: ({ size }: EncodedSpans) => size },
    undefined,
  );
  return {
    newBatch: () =>
      new EncodedBatch(
        () => writers.pop() ?? new ProtoWriter(),
        (spans, done) => delegate.export(spans, (outcome) => done(partial.addTo(outcome))),
      ),
    shutdown: () => delegate.shutdown(),
  };
};

/** Maximum number of spare buffers: one for the current batch, one for its message, one for spans of another scope. */
const SPARE_WRITERS = 3;

class EncodedBatch extends EncodedSpans implements SpanBatch {
  private readonly send: (spans: EncodedSpans, done: ExportCallback) => void;

  constructor(newWriter: () => ProtoWriter, send: EncodedBatch["send"]) {
    super(newWriter);
    this.send = send;
  }

  export(done: ExportCallback): void {
    this.send(this, done);
  }
}

/** Creates the exporter of metrics; `null` if they are not exported. @throws TELEMETRY_NEEDS_GRPC */
export const createMetricExporter = async (
  { to, url }: Destination,
  timeoutMillis: number,
): Promise<PushMetricExporter | null> => {
  if (to === "none") return null;
  if (to === "console") return new (await import("@opentelemetry/sdk-metrics")).ConsoleMetricExporter();
  const { OTLPMetricExporter } =
    to === "grpc"
      ? await importExporter(import("@opentelemetry/exporter-metrics-otlp-grpc"))
      : await import("@opentelemetry/exporter-metrics-otlp-proto");
  return new OTLPMetricExporter({ url, timeoutMillis });
};

const importExporter = async <Module>(module: Promise<Module>): Promise<Module> => {
  try {
    return await module;
  } catch (cause) {
    const message =
      "telemetry: OTLP over gRPC needs @opentelemetry/exporter-trace-otlp-grpc and @opentelemetry/exporter-metrics-otlp-grpc; install both, or set `protocol` to http/protobuf";
    throw new FrameworkError("TELEMETRY_NEEDS_GRPC", message, { cause });
  }
};
