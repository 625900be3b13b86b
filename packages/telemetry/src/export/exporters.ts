import { FrameworkError } from "@framework/core";
import type { PushMetricExporter } from "@opentelemetry/sdk-metrics";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { Destination } from "../settings/destinations.ts";

/** Creates the exporter of spans; `null` when they go nowhere. @throws TELEMETRY_NEEDS_GRPC */
export const createSpanExporter = async (
  { to, url }: Destination,
  timeoutMillis: number,
): Promise<SpanExporter | null> => {
  if (to === "none") return null;
  if (to === "console") return new (await import("@opentelemetry/sdk-trace")).ConsoleSpanExporter();
  const { OTLPTraceExporter } =
    to === "grpc"
      ? await installed(import("@opentelemetry/exporter-trace-otlp-grpc"))
      : await import("@opentelemetry/exporter-trace-otlp-proto");
  return new OTLPTraceExporter({ url, timeoutMillis });
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
