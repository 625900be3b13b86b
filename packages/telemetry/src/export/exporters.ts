import { FrameworkError } from "@framework/core";
import type { PushMetricExporter } from "@opentelemetry/sdk-metrics";
import type { OTLPExporterConfigBase } from "@opentelemetry/otlp-exporter-base";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import { encodeSpans } from "./span-bytes.ts";
import type { Destination } from "../settings/destinations.ts";

/** Creates the exporter of spans; `null` when they go nowhere. @throws TELEMETRY_NEEDS_GRPC */
export const createSpanExporter = async (
  { to, url }: Destination,
  timeoutMillis: number,
): Promise<SpanExporter | null> => {
  if (to === "none") return null;
  if (to === "console") return new (await import("@opentelemetry/sdk-trace")).ConsoleSpanExporter();
  if (to === "http") return httpSpanExporter({ url, timeoutMillis });
  const { OTLPTraceExporter } = await installed(import("@opentelemetry/exporter-trace-otlp-grpc"));
  return new OTLPTraceExporter({ url, timeoutMillis });
};

/** The SDK's exporter over HTTP, with its environment variables and repetitions, and our encoder. */
const httpSpanExporter = async (options: OTLPExporterConfigBase): Promise<SpanExporter> => {
  const [{ OTLPExporterBase }, http, { ProtobufTraceSerializer, TraceExporterMetricsHelper }] =
    await Promise.all([
      import("@opentelemetry/otlp-exporter-base"),
      import("@opentelemetry/otlp-exporter-base/node-http"),
      import("@opentelemetry/otlp-transformer"),
    ]);
  const type = { "Content-Type": "application/x-protobuf" };
  const converted = http.convertLegacyHttpOptions(options, "TRACES", "v1/traces", type);
  const serializer = {
    serializeRequest: encodeSpans,
    deserializeResponse: ProtobufTraceSerializer.deserializeResponse.bind(ProtobufTraceSerializer),
  };
  const component = "otlp_http_span_exporter";
  return new OTLPExporterBase(
    http.createOtlpHttpExportDelegate(
      converted,
      serializer,
      component,
      TraceExporterMetricsHelper,
      undefined,
    ),
  );
};

/** Creates the exporter of metrics; `null` when they go nowhere. @throws TELEMETRY_NEEDS_GRPC */
export const createMetricExporter = async (
  { to, url }: Destination,
  timeoutMillis: number,
): Promise<PushMetricExporter | null> => {
  if (to === "none") return null;
  if (to === "console") return new (await import("@opentelemetry/sdk-metrics")).ConsoleMetricExporter();
  const { OTLPMetricExporter } =
    to === "grpc"
      ? await installed(import("@opentelemetry/exporter-metrics-otlp-grpc"))
      : await import("@opentelemetry/exporter-metrics-otlp-proto");
  return new OTLPMetricExporter({ url, timeoutMillis });
};

const installed = async <Module>(module: Promise<Module>): Promise<Module> => {
  try {
    return await module;
  } catch (cause) {
    const message =
      "telemetry: OTLP over gRPC needs @opentelemetry/exporter-trace-otlp-grpc and @opentelemetry/exporter-metrics-otlp-grpc; install both, or set `protocol` to http/protobuf";
    throw new FrameworkError("TELEMETRY_NEEDS_GRPC", message, { cause });
  }
};
