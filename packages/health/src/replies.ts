import { Response } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { Findings, CheckResult, Readiness } from "./health.ts";
import type { HealthCheckConfig } from "./health-check-config.ts";
import type { SystemInfo } from "./system-info.ts";

/** Level of detail of the checks in a report: nothing, their status, or all details. */
export type Disclosure = "none" | "states" | "all";

/** Inputs of a report. */
export interface ReportParts {
  readonly config: Pick<HealthCheckConfig, "version">;
  readonly clock: Clock;
  readonly disclosure: Disclosure;
  /** Time at which the app started, by the clock's `now`. */
  readonly since: number;
  readonly system: (() => SystemInfo) | null;
}

/** Returns the level of detail that a report may show. */
export const disclosureOf = (includeDetails: boolean | undefined, env: string): Disclosure => {
  if (includeDetails === undefined) return env === "production" ? "states" : "all";
  return includeDetails ? "all" : "none";
};

export const livenessReply = (live: boolean, clock: Clock): Response =>
  reply({ status: live ? "ok" : "error", timestamp: timestamp(clock.date()) }, live);

export const readinessReply = (readiness: Readiness, clock: Clock): Response => {
  const ready = readiness === "ok";
  return reply({ status: readiness, ready, timestamp: timestamp(clock.date()) }, ready);
};

/** Creates the full report: unhealthy (503) when any probe fails, degraded when a check fails but no probe. */
export const reportReply = (
  { live, started, readiness, checks }: Findings,
  { config, clock, disclosure, since, system }: ReportParts,
): Response => {
  const healthy = live && started && readiness === "ok";
  const degraded = checks.some(({ outcome }) => !outcome.ok);
  const body = {
    status: !healthy ? "unhealthy" : degraded ? "degraded" : "healthy",
    timestamp: timestamp(clock.date()),
    ...(config.version === undefined ? {} : { version: config.version }),
    uptime_seconds: Math.round(clock.now() - since) / 1000,
    checks: { liveness: word(live), readiness: word(readiness === "ok"), startup: word(started) },
    ...(disclosure === "none" || checks.length === 0
      ? {}
      : { components: Object.fromEntries(checks.map((result) => component(result, disclosure))) }),
    ...(system === null ? {} : { system: system() }),
  };
  return reply(body, healthy);
};

const component = (
  { watched: { check }, outcome }: CheckResult,
  disclosure: Disclosure,
): [name: string, component: object] => {
  const { ok, message, error, details, durationMs, at } = outcome;
  const failed = check.critical === false ? "degraded" : "unhealthy";
  const text = disclosure === "all" && error !== null && error !== "" ? error : message;
  return [
    check.name,
    {
      name: check.name,
      status: ok ? "healthy" : failed,
      ...(text === null ? {} : { message: text }),
      ...(disclosure === "all" && details !== null ? { details } : {}),
      duration_ms: durationMs,
      timestamp: timestamp(at),
    },
  ];
};

/** Creates a reply that must not be cached. */
const reply = (body: object, isHealthy: boolean): Response =>
  Response.json(body, { status: isHealthy ? 200 : 503, headers: { "cache-control": "no-store" } });

const timestamp = (ms: number): string => new Date(ms).toISOString();
const word = (isHealthy: boolean): "ok" | "failed" => (isHealthy ? "ok" : "failed");
