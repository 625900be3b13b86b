import {
  type Clock,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  checked,
  decimal,
  flag,
  isClock,
  list,
  optional,
} from "@framework/core/feature";
import { type Guard, type HttpRequest, isGuard } from "@framework/core";

/** What `enableHealthChecks` may be told. */
export interface HealthCheckConfig {
  /** Path of the report; the probes are below it. @default "/health" */
  readonly basePath: string;
  /** Whether the report tells of the machine: host name, memory, CPU. @default false */
  readonly includeSystemInfo: boolean;
  /**
   * Whether the report lists the checks, with what they returned and the texts of their errors. Unset, it lists them, but in production without
   * details and texts, which may name hosts and users.
   */
  readonly includeDetails: boolean | undefined;
  /** Version of the service, for the report. */
  readonly version: string | undefined;
  /** Seconds that one run of a check may take, where the check does not say. @default 5 */
  readonly timeoutSecs: number;
  /** Seconds for which the outcome of a check is given again without a new run. @default 0 */
  readonly cacheSecs: number;
  /** Who may ask; the app's own guards leave these endpoints alone. @default [] */
  readonly guards: readonly Guard<HttpRequest>[];
  /** Time and timers, for tests. @default the runtime's */
  readonly clock: Clock | undefined;
}

/** The record, and two ready-made ones. */
export interface HealthCheckConfigRecord extends ConfigRecord<HealthCheckConfig> {
  /** For the probes of an orchestrator: the report lists no checks, and outcomes are given again for 5 s. */
  kubernetes(input?: ConfigInput<HealthCheckConfig>): Readonly<HealthCheckConfig>;
  /** For people: all details, in production too, the machine included, and 10 s for a check. */
  detailed(input?: ConfigInput<HealthCheckConfig>): Readonly<HealthCheckConfig>;
}

const seconds = { min: 0.01, max: 600 };

const record: ConfigRecord<HealthCheckConfig> = configRecord("HealthCheckConfig", {
  basePath: checked(
    "/health",
    "a path such as /health, of letters, digits and . _ ~ -, without a slash at its end",
    (value) => typeof value === "string" && value.length <= 200 && /^(?:\/[\w~.-]*[\w~-])+$/.test(value),
  ),
  includeSystemInfo: flag(false),
  includeDetails: optional(flag(true)),
  version: optional(
    checked("", "a text of 1 to 100 characters", (value) =>
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
  kubernetes: (input) => record.of({ includeDetails: false, cacheSecs: 5, ...input }),
  detailed: (input) =>
    record.of({ includeDetails: true, includeSystemInfo: true, timeoutSecs: 10, ...input }),
};
