import { isEndpoint, isProtocol } from "../collector.ts";

/** Returns the trimmed value of a variable; `null` if it is empty or unset. */
export type Read = (name: string) => string | null;
/** Reports a variable that is ignored. */
export type ReportInvalid = (name: string, wanted: string) => void;

/** Reports malformed variables of exporters, which the SDK and `destinations` ignore. Messages omit the values, because headers often contain keys. */
export const checkExporterVariables = (read: Read, reportInvalid: ReportInvalid): void => {
  const check = (name: string, wanted: string, isValid: (value: string) => boolean): void => {
    const value = read(name);
    if (value !== null && !isValid(value)) reportInvalid(name, wanted);
  };
  for (const signal of ["TRACES", "METRICS"])
    check(`OTEL_${signal}_EXPORTER`, "otlp, console or none", (value) => exporters.includes(value));
  for (const signal of ["", "TRACES_", "METRICS_"]) {
    const prefix = `OTEL_EXPORTER_OTLP_${signal}`;
    check(`${prefix}ENDPOINT`, "a URL such as http://localhost:4318", isEndpoint);
    check(`${prefix}PROTOCOL`, "grpc or http/protobuf", isProtocol);
    check(`${prefix}COMPRESSION`, "gzip or none", (value) => value === "gzip" || value === "none");
    check(`${prefix}HEADERS`, "a list of name=value, percent-encoded", areHeaders);
  }
  for (const [name, instead] of Object.entries(unsupported))
    if (read(name) !== null) reportInvalid(name, `unset: ${instead}`);
};

const exporters: readonly string[] = ["otlp", "console", "none"];

const areHeaders = (value: string): boolean =>
  value.split(",").every((pair) => pair.trim() === "" || (HEADER.test(pair) && isEscaped(pair)));

const HEADER = /^\s*[\w!#$%&'*+.^`|~-]+\s*=/;

/** Whether percent-encoding can be decoded. */
export const isEscaped = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

const COMMON_TIMEOUT = "OTEL_EXPORTER_OTLP_TIMEOUT is the limit of every export";
const FIXED_LIMITS = "the limits of spans are fixed";

/** Standard variables without effect, and the rule that applies instead. */
const unsupported: Readonly<Record<string, string>> = {
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: COMMON_TIMEOUT,
  OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: COMMON_TIMEOUT,
  OTEL_BSP_EXPORT_TIMEOUT: COMMON_TIMEOUT,
  OTEL_METRIC_EXPORT_TIMEOUT: COMMON_TIMEOUT,
  OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: FIXED_LIMITS,
  OTEL_ATTRIBUTE_COUNT_LIMIT: FIXED_LIMITS,
  OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: FIXED_LIMITS,
  OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: FIXED_LIMITS,
  OTEL_SPAN_EVENT_COUNT_LIMIT: FIXED_LIMITS,
  OTEL_SPAN_LINK_COUNT_LIMIT: FIXED_LIMITS,
  OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT: FIXED_LIMITS,
  OTEL_LINK_ATTRIBUTE_COUNT_LIMIT: FIXED_LIMITS,
};
