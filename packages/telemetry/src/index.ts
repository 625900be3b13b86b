export { OpenTelemetryConfig } from "./telemetry-config.ts";
export { telemetry } from "./telemetry.ts";
export type { Telemetry } from "./telemetry.ts";
export { telemetryErrors } from "./error-codes.ts";
