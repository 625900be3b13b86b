import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const telemetryErrors: ErrorCatalogue = {
  TELEMETRY_NEEDS_GRPC: {
    summary: "`protocol` is gRPC, and the exporters for it are not installed; the app does not start",
    action:
      "install `@opentelemetry/exporter-trace-otlp-grpc` and `@opentelemetry/exporter-metrics-otlp-grpc`, or set `protocol` to `http/protobuf`",
  },
  TELEMETRY_BAD_VARIABLE: {
    summary: "a warning at start: an `OTEL_*` variable is malformed or not supported, and is ignored",
    action: "correct the variable that the message names",
  },
};
