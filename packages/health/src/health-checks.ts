import type { AppSettings, HttpRequest, Response } from "@framework/core";
import {
  checked,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  decimal,
  type Feature,
  flag,
  type HealthCheck,
  type HealthGroup,
  type Host,
  optional,
  systemClock,
} from "@framework/core/feature";
import { Health } from "./health.ts";
import { HealthCheckConfig } from "./health-check-config.ts";
import { disclosureOf, livenessReply, readinessReply, reportReply } from "./replies.ts";
import { systemInfo } from "./system-info.ts";
import { WatchedCheck } from "./watched-check.ts";

/** Options of a check. */
export interface HealthCheckOptions {
  /** Probes that the check belongs to: `live`, `ready`, `startup`. @default ["ready"] */
  readonly groups: readonly HealthGroup[];
  /** Whether its failure fails the probe; otherwise the report is only degraded. @default true */
  readonly critical: boolean;
  /** Timeout in seconds. @default `timeoutSecs` of the configuration */
  readonly timeoutSecs: number | undefined;
}

/** Checks a dependency and throws when it is unhealthy; the return value becomes details of the report. `signal` aborts at the timeout. */
export type HealthCheckFunction = HealthCheck["run"];

/** The methods that the feature adds to an app. */
export interface HealthChecks {
  /**
   * Adds the endpoints `/health`, `/health/live`, `/health/ready` and `/health/startup`, and the aliases `/health/liveness` and `/health/readiness`.
   *
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors
   */
  enableHealthChecks(config?: ConfigInput<HealthCheckConfig>): this;
  /**
   * Adds a check of a dependency; call `enableHealthChecks` first.
   *
   * @throws CORE_BAD_CONFIG, CORE_BAD_HEALTH_CHECK, HEALTH_NOT_ENABLED at start, together with all other configuration errors
   */
  healthCheck(name: string, check: HealthCheckFunction): this;
  healthCheck(name: string, options: ConfigInput<HealthCheckOptions>, check: HealthCheckFunction): this;
}

const groups: readonly HealthGroup[] = ["live", "ready", "startup"];

const CheckOptions: ConfigRecord<HealthCheckOptions> = configRecord("HealthCheckOptions", {
  groups: checked<readonly HealthGroup[]>(
    ["ready"],
    "a list of live, ready and startup, with at least one of them",
    (value) =>
      Array.isArray(value) && value.length > 0 && value.every((item: HealthGroup) => groups.includes(item)),
  ),
  critical: flag(true),
  timeoutSecs: optional(decimal(5, { min: 0.01, max: 600 })),
});

/**
 * Liveness, readiness and startup probes, each with its own checks, and a report of all of them.
 *
 * @example
 * const app = new (App.with(healthChecks))().enableHealthChecks(HealthCheckConfig.kubernetes());
 * app.healthCheck("search", { critical: false, timeoutSecs: 2 }, (signal) => pingSearch(signal));
 */
export const healthChecks: Feature<HealthChecks> = {
  name: "health",
  install: (host) => {
    let isEnabled = false;
    return {
      enableHealthChecks(config) {
        isEnabled = true;
        serve(host, host.configure(HealthCheckConfig, config));
        return this;
      },
      healthCheck(
        name: string,
        second: ConfigInput<HealthCheckOptions> | HealthCheckFunction,
        third?: HealthCheckFunction,
      ) {
        const [options, run] = typeof second === "function" ? [{}, second] : [second, third];
        const { timeoutSecs, ...rest } = host.configure(CheckOptions, options);
        if (!isEnabled) host.problem(notEnabled(name));
        if (typeof run !== "function") host.problem(noFunction(name));
        else
          host.insight.healthCheck({
            name,
            ...rest,
            ...(timeoutSecs === undefined ? {} : { timeoutSecs }),
            run,
          });
        return this;
      },
    };
  },
};

const serve = (host: Host, config: Readonly<HealthCheckConfig>): void => {
  const { basePath, clock = systemClock, guards } = config;
  const system = config.includeSystemInfo ? systemInfo(clock) : null;
  const limits = { timeoutMs: config.timeoutSecs * 1000, cacheMs: config.cacheSecs * 1000 };
  let health = new Health([]);
  let since = 0;
  const start = ({ log }: AppSettings): void => {
    since = clock.now();
    const watch = (check: HealthCheck) => new WatchedCheck(check, { ...limits, clock, log });
    health = new Health(host.insight.healthChecks().map(watch));
  };
  host.life.onStart({ name: "health checks", run: start }).onDrain(() => health.drain(), { probed: true });
  const addRoute = (path: string, handler: (request: HttpRequest) => Promise<Response>): void =>
    void host.http.route("GET", `${basePath}${path}`, handler, {
      guards,
      timeoutSecs: 0, // each check has its own timeout, and a reply waits at most a second, regardless of handlerSecs
      exempt: ["guards", "limits", "telemetry"],
    });
  const live = async (): Promise<Response> => livenessReply(await health.live(), clock);
  const ready = async (): Promise<Response> => readinessReply(await health.readiness(), clock);
  addRoute("/live", live);
  addRoute("/liveness", live);
  addRoute("/ready", ready);
  addRoute("/readiness", ready);
  addRoute("/startup", async () => readinessReply((await health.hasStarted()) ? "ok" : "starting", clock));
  addRoute("", async () => {
    const disclosure = disclosureOf(config.includeDetails, host.life.settings.env);
    return reportReply(await health.findings(), { config, clock, disclosure, since, system });
  });
  host.insight.expose("health", () => health.snapshot());
};

const notEnabled = (name: string) => ({
  code: "HEALTH_NOT_ENABLED",
  message: `health: call enableHealthChecks before healthCheck("${name}"); without it no check runs`,
});

const noFunction = (name: string) => ({
  code: "CORE_BAD_HEALTH_CHECK",
  message: `the health check "${name}" needs a function`,
});
