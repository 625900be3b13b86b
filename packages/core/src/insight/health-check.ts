import type { Awaitable } from "../middleware/middleware.ts";

/** The probe that runs a check: liveness, readiness or startup. */
export type HealthGroup = "live" | "ready" | "startup";

/** A check of a dependency of the service; throwing means failure. */
export interface HealthCheck {
  /** Unique in the app. */
  readonly name: string;
  /** The probes that run it. @default ["ready"] */
  readonly groups?: readonly HealthGroup[];
  /** Whether a failure makes the service unavailable instead of degraded. @default true */
  readonly critical?: boolean;
  /** Seconds until a running check counts as failed. @default the health feature's setting */
  readonly timeoutSecs?: number;
  /** Performs the check. Returned details are shown only where details are exposed. `signal` aborts at the timeout. */
  run(signal: AbortSignal): Awaitable<void | Readonly<Record<string, unknown>>>;
}

/** Maximum number of health checks of one app. */
export const MAX_HEALTH_CHECKS = 50;

/** Returns the reason why a check cannot be added to the present ones; `null` when it can. */
export const healthCheckProblem = ({ name }: HealthCheck, present: readonly HealthCheck[]): string | null => {
  if (typeof name !== "string" || !/^[A-Za-z0-9][\w.:-]{0,63}$/.test(name)) {
    return "the name of a health check must be 1 to 64 letters, digits, dots, colons, underscores or dashes";
  }
  if (present.some((other) => other.name === name)) {
    return `there is a health check "${name}" already; use a unique name`;
  }
  return present.length < MAX_HEALTH_CHECKS
    ? null
    : `an app may have at most ${MAX_HEALTH_CHECKS} health checks`;
};
