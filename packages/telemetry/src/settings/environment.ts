import type { ConfigInput } from "@framework/core/feature";
import type { OpenTelemetryConfig } from "../telemetry-config.ts";
import { checkExporterVariables, isEscaped, type Read, type ReportInvalid } from "./exporter-variables.ts";

/** Variables of a process. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Options from the standard variables, and the mistakes in them. */
export interface FromEnvironment {
  readonly isDisabled: boolean;
  readonly given: ConfigInput<OpenTelemetryConfig>;
  readonly mistakes: readonly string[];
}

type MutableOptions = { -readonly [Name in keyof OpenTelemetryConfig]?: OpenTelemetryConfig[Name] };

/**
 * Reads the standard `OTEL_*` variables. As OpenTelemetry requires, a malformed variable is ignored with a warning, and an empty variable counts as unset.
 *
 * Headers, compression and certificates (`OTEL_EXPORTER_OTLP_*`) are read by the exporters themselves.
 */
export const fromEnvironment = (env: Variables): FromEnvironment => {
  const given: MutableOptions = {};
  const mistakes: string[] = [];
  const reportInvalid = (name: string, wanted: string): void =>
    void mistakes.push(`${name} is ignored: it must be ${wanted}`);
  const read = (name: string): string | null => env[name]?.trim() || null;
  const readNumber = (name: string, field: NumberField, max: number): void => {
    const value = read(name);
    if (value === null) return;
    const isValid = /^\d{1,9}$/.test(value) && Number(value) >= 1 && Number(value) <= max;
    if (isValid) given[field] = Number(value);
    else reportInvalid(name, `a whole number from 1 to ${max}`);
  };
  readResource(read, given, reportInvalid);
  readSampler(read, given, reportInvalid);
  readPropagators(read, given, reportInvalid);
  readNumber("OTEL_BSP_SCHEDULE_DELAY", "batchDelayMs", 600_000);
  readNumber("OTEL_BSP_MAX_QUEUE_SIZE", "queueSize", 100_000);
  readNumber("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "batchSize", 10_000);
  readNumber("OTEL_EXPORTER_OTLP_TIMEOUT", "exportTimeoutMs", 600_000);
  readNumber("OTEL_METRIC_EXPORT_INTERVAL", "metricIntervalMs", 86_400_000);
  checkExporterVariables(read, reportInvalid);
  const disabled = read("OTEL_SDK_DISABLED")?.toLowerCase() ?? "false";
  if (disabled !== "true" && disabled !== "false") reportInvalid("OTEL_SDK_DISABLED", "true or false");
  return { isDisabled: disabled === "true", given, mistakes };
};

type NumberField = "batchDelayMs" | "queueSize" | "batchSize" | "exportTimeoutMs" | "metricIntervalMs";

const readResource = (read: Read, given: MutableOptions, reportInvalid: ReportInvalid): void => {
  let attributes: Record<string, string> = {};
  for (const pair of read("OTEL_RESOURCE_ATTRIBUTES")?.split(",") ?? []) {
    const [, name, raw] = /^\s*([\w.%/-]{1,255})\s*=\s*(\S{0,1024})\s*$/.exec(pair) ?? [];
    if (name === undefined || raw === undefined || !isEscaped(name) || !isEscaped(raw)) {
      reportInvalid("OTEL_RESOURCE_ATTRIBUTES", "a list of name=value, percent-encoded");
      attributes = {};
      break;
    }
    attributes[decodeURIComponent(name)] = decodeURIComponent(raw);
  }
  if (Object.keys(attributes).length > MAX_ATTRIBUTES) {
    reportInvalid("OTEL_RESOURCE_ATTRIBUTES", `at most ${MAX_ATTRIBUTES} attributes`);
    attributes = {};
  }
  const { "service.name": attributeName, "service.version": version, ...others } = attributes;
  const name = read("OTEL_SERVICE_NAME") ?? attributeName ?? "";
  if (name !== "") given.serviceName = name; // unset, or a resource attribute without a value
  if (version !== undefined && version !== "") given.serviceVersion = version;
  if (Object.keys(others).length > 0) given.resourceAttributes = others;
};

/** Maximum number of attributes that `OpenTelemetryConfig` accepts. */
const MAX_ATTRIBUTES = 100;

/** Sampling is always parent-based, so only parent-based samplers are supported. */
const readSampler = (read: Read, given: MutableOptions, reportInvalid: ReportInvalid): void => {
  const sampler = read("OTEL_TRACES_SAMPLER");
  if (sampler === null) return;
  const ratio = Number(read("OTEL_TRACES_SAMPLER_ARG") ?? "1");
  if (sampler === "parentbased_always_on") given.samplingRate = 1;
  else if (sampler === "parentbased_always_off") given.samplingRate = 0;
  else if (sampler !== "parentbased_traceidratio")
    reportInvalid(
      "OTEL_TRACES_SAMPLER",
      "parentbased_always_on, parentbased_always_off or parentbased_traceidratio",
    );
  else if (ratio >= 0 && ratio <= 1) given.samplingRate = ratio;
  else reportInvalid("OTEL_TRACES_SAMPLER_ARG", "a number from 0 to 1");
};

const readPropagators = (read: Read, given: MutableOptions, reportInvalid: ReportInvalid): void => {
  const names = read("OTEL_PROPAGATORS")
    ?.split(",")
    .map((name) => name.trim());
  if (names === undefined) return;
  if (names.every((name) => name === "tracecontext" || name === "baggage")) given.propagation = "w3c";
  else if (names.length === 1 && names[0] === "none") given.propagation = "none";
  else reportInvalid("OTEL_PROPAGATORS", "tracecontext,baggage or none");
};
