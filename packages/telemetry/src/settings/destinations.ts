import type { OpenTelemetryConfig } from "../telemetry-config.ts";
import type { Variables } from "./environment.ts";
import { isEndpoint, isProtocol } from "../collector.ts";

/** Destination of spans or of metrics. */
export interface Destination {
  readonly to: "http" | "grpc" | "console" | "none";
  /** Empty for `console` and `none`. */
  readonly url: string;
}

/** Destinations of spans and metrics. */
export interface Destinations {
  readonly traces: Destination;
  readonly metrics: Destination;
}

type Signal = "traces" | "metrics";
type Config = Pick<OpenTelemetryConfig, "otlpEndpoint" | "protocol" | "exportTraces" | "exportMetrics">;

/**
 * Returns the destinations: `otlpEndpoint`, otherwise the endpoint in `OTEL_EXPORTER_OTLP_*`, otherwise the console for spans if `isDebug`.
 * `OTEL_TRACES_EXPORTER` and `OTEL_METRICS_EXPORTER` take precedence if they are `none` or `console`.
 *
 * The endpoint of one signal (`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`) is used unchanged; other endpoints get the path of the signal, as OTLP requires.
 */
export const destinations = (config: Config, env: Variables, isDebug: boolean): Destinations => ({
  traces: destination("traces", config, env, isDebug),
  metrics: destination("metrics", config, env, isDebug),
});

const nowhere: Destination = { to: "none", url: "" };

const destination = (signal: Signal, config: Config, env: Variables, isDebug: boolean): Destination => {
  const upper = signal.toUpperCase();
  const read = (name: string): string | undefined => env[name]?.trim() || undefined;
  const isEnabled = signal === "traces" ? config.exportTraces : config.exportMetrics;
  const exporter = read(`OTEL_${upper}_EXPORTER`);
  if (!isEnabled || exporter === "none") return nowhere;
  if (exporter === "console") return { to: "console", url: "" };
  const valid = <T>(name: string, isValid: (value: unknown) => value is T): T | undefined => {
    const value = read(name);
    return isValid(value) ? value : undefined; // `checkExporterVariables` reports malformed values
  };
  const own =
    config.otlpEndpoint === undefined ? valid(`OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`, isEndpoint) : undefined;
  const url = own ?? config.otlpEndpoint ?? valid("OTEL_EXPORTER_OTLP_ENDPOINT", isEndpoint);
  if (url === undefined) return isDebug && signal === "traces" ? { to: "console", url: "" } : nowhere;
  const protocol =
    config.protocol ??
    valid(`OTEL_EXPORTER_OTLP_${upper}_PROTOCOL`, isProtocol) ??
    valid("OTEL_EXPORTER_OTLP_PROTOCOL", isProtocol);
  if (protocol === "grpc" || (protocol === undefined && new URL(url).port === "4317"))
    return { to: "grpc", url };
  return { to: "http", url: own ?? withPath(url, `v1/${signal}`) };
};

const withPath = (base: string, path: string): string => {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`;
  return url.href;
};
