import {
  checked,
  type Clock,
  type ConfigRecord,
  configRecord,
  decimal,
  flag,
  integer,
  isClock,
  list,
  oneOf,
  optional,
  pathPrefixes,
  secret,
  text,
} from "@framework/core/feature";
import { isEndpoint, isProtocol } from "./collector.ts";

/** Options of `enableTelemetry`. Unset options fall back to the standard `OTEL_*` variable, if there is one, then to the default. */
export interface OpenTelemetryConfig {
  /** Name of the service in traces and metrics. @default "framework-service" */
  readonly serviceName: string;
  /** Version of the service. @default "0.1.0" */
  readonly serviceVersion: string;
  /** Base URL of the OTLP collector. Over HTTP, `/v1/traces` and `/v1/metrics` are appended. @default none: spans are written to the console in development with `debug`, otherwise not exported */
  readonly otlpEndpoint: string | undefined;
  /** Protocol of the exports. @default grpc for port 4317, otherwise http/protobuf */
  readonly protocol: "grpc" | "http/protobuf" | undefined;
  /** Sampling ratio of traces that start in this app, clamped to 0–1. Parent-based: a caller's sampling decision takes precedence. @default 1 */
  readonly samplingRate: number;
  /** Whether spans are exported. @default true */
  readonly exportTraces: boolean;
  /** Whether metrics are exported. @default true */
  readonly exportMetrics: boolean;
  /** Path prefixes, in whole segments, that are excluded from spans and metrics. @default ["/health", "/metrics"] */
  readonly excludedPaths: readonly string[];
  /** Format in which trace context and baggage are read and sent; `none` disables both. @default "w3c" */
  readonly propagation: "w3c" | "none";
  /** Whether replies to sampled requests have the field `X-Trace-ID`. @default true */
  readonly traceHeader: boolean;
  /** Names of the baggage members that outgoing calls and messages carry. @default [] */
  readonly baggageKeys: readonly string[];
  /** Attributes of the service, such as `deployment.environment.name`, in addition to those of `OTEL_RESOURCE_ATTRIBUTES`. @default {} */
  readonly resourceAttributes: Readonly<Record<string, string>>;
  /** Milliseconds that one export may take, including retries. @default 10000 */
  readonly exportTimeoutMs: number;
  /** Maximum number of spans of one export. @default 512 */
  readonly batchSize: number;
  /** Maximum number of queued spans; further spans are dropped and counted. @default 2048 */
  readonly queueSize: number;
  /** Maximum milliseconds that a span waits for its batch to fill. @default 5000 */
  readonly batchDelayMs: number;
  /** Milliseconds between two exports of metrics. @default 60000 */
  readonly metricIntervalMs: number;
  /** Clock of durations and batches, for tests. @default the clock of the process */
  readonly clock: Clock | undefined;
}

export const OpenTelemetryConfig: ConfigRecord<OpenTelemetryConfig> = configRecord("OpenTelemetryConfig", {
  serviceName: text("framework-service"),
  serviceVersion: text("0.1.0"),
  otlpEndpoint: secret(
    optional<string>({
      problem: (value) => (isEndpoint(value) ? null : "must be a URL such as http://localhost:4318"),
    }),
  ),
  protocol: optional<"grpc" | "http/protobuf">({
    problem: (value) => (isProtocol(value) ? null : "must be grpc or http/protobuf"),
  }),
  samplingRate: decimal(1, {}),
  exportTraces: flag(true),
  exportMetrics: flag(true),
  excludedPaths: { default: ["/health", "/metrics"], problem: pathPrefixes.problem },
  propagation: oneOf("w3c", ["w3c", "none"]),
  traceHeader: flag(true),
  baggageKeys: list<string>([], "names of baggage members", isKey),
  resourceAttributes: checked({}, "an object of at most 100 strings", areStrings),
  exportTimeoutMs: integer(10_000, { min: 1, max: 600_000 }),
  batchSize: integer(512, { min: 1, max: 10_000 }),
  queueSize: integer(2048, { min: 1, max: 100_000 }),
  batchDelayMs: integer(5000, { min: 1, max: 600_000 }),
  metricIntervalMs: integer(60_000, { min: 1, max: 86_400_000 }),
  clock: optional<Clock>({ problem: (value) => (isClock(value) ? null : "must be a Clock") }),
});

function isKey(value: unknown): boolean {
  return typeof value === "string" && /^[\w!#$%&'*+.^`|~-]{1,256}$/.test(value);
}

function areStrings(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const values = Object.values(value);
  return values.length <= 100 && values.every((each) => typeof each === "string");
}
