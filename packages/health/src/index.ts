export { HealthCheckConfig, type HealthCheckConfigRecord } from "./health-check-config.ts";
export {
  type HealthCheckFunction,
  type HealthCheckOptions,
  type HealthChecks,
  healthChecks,
} from "./health-checks.ts";
export { healthErrors } from "./error-codes.ts";
