import {
  checked,
  type Clock,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  decimal,
  flag,
  givenFields,
  isClock,
  list,
  optional,
} from "@framework/core/feature";
import { type Guard, type HttpRequest, isGuard } from "@framework/core";

/** Options of `enableHealthChecks`. */
export interface HealthCheckConfig {
  /** Path of the report; the probes are below it. @default "/health" */
  readonly basePath: string;
  /** Whether the report includes the machine: host name, memory, CPU. @default false */
  readonly includeSystemInfo: boolean;
  /**
   * Whether the report lists the checks with their details and error messages. By default it lists them, but in production without details and
   * messages, which may name hosts and users.
   */
  readonly includeDetails: boolean | undefined;
  /** Version of the service, for the report. */
  readonly version: string | undefined;
  /** Default timeout of a check, in seconds. @default 5 */
  readonly timeoutSecs: number;
  /** Seconds for which the outcome of a check is reused. @default 0 */
  readonly cacheSecs: number;
  /** Guards of these endpoints; the app's own guards do not apply. @default [] */
  readonly guards: readonly Guard<HttpRequest>[];
  /** Clock and timers, for tests. @default the system clock */
  readonly clock: Clock | undefined;
}

/** The configuration record of the health checks, with two presets. */
export interface HealthCheckConfigRecord extends ConfigRecord<HealthCheckConfig> {
  /** Creates a configuration for an orchestrator's probes: the report lists no checks, and outcomes are reused for 5 s. */
  kubernetes(input?: ConfigInput<HealthCheckConfig>): Readonly<HealthCheckConfig>;
  /** Creates a configuration for operators: all details, also in production, with system information, and a timeout of 10 s. */
  detailed(input?: ConfigInput<HealthCheckConfig>): Readonly<HealthCheckConfig>;
}

const seconds = { min: 0.01, max: 600 };

const record: ConfigRecord<HealthCheckConfig> = configRecord("HealthCheckConfig", {
  basePath: checked(
    "/health",
    "a path such as /health, of letters, digits and . _ ~ -, without a trailing slash",
    (value) => typeof value === "string" && value.length <= 200 && /^(?:\/[\w~.-]*[\w~-])+$/.test(value),
  ),
  includeSystemInfo: flag(false),
  includeDetails: optional(flag(true)),
  version: optional(
    checked("", "a string of 1 to 100 characters", (value) =>
      typeof value === "string" ? value !== "" && value.length <= 100 : false,
    ),
  ),
  timeoutSecs: decimal(5, seconds),
  cacheSecs: decimal(0, { min: 0, max: 3600 }),
  guards: list([], "guards: functions, or objects with check", isGuard),
  clock: optional(
    checked<Clock | null>(null, "a clock with now, date, after and every", isClock),
  ) as ReturnType<typeof optional<Clock>>,
});

export const HealthCheckConfig: HealthCheckConfigRecord = {
  ...record,
  kubernetes: (input) => preset({ includeDetails: false, cacheSecs: 5 }, input),
  detailed: (input) => preset({ includeDetails: true, includeSystemInfo: true, timeoutSecs: 10 }, input),
};

/** Creates a preset; a field of the input that is `undefined` has the value of the preset. */
function preset(
  values: ConfigInput<HealthCheckConfig>,
  input: ConfigInput<HealthCheckConfig> = {},
): Readonly<HealthCheckConfig> {
  return record.of({ ...values, ...givenFields(input) });
}
