import type { Awaitable } from "../middleware/middleware.ts";

/** Which question a check answers: is the process alive, may it get traffic, has it started. */
export type HealthGroup = "live" | "ready" | "startup";

/** A check of something that the service depends on; it fails by throwing. */
export interface HealthCheck {
  /** Unique in the app. */
  readonly name: string;
  /** @default ["ready"] */
  readonly groups?: readonly HealthGroup[];
  /** Whether its failure makes the service unavailable; else it is only degraded. @default true */
  readonly critical?: boolean;
  /** Seconds until a check that did not end counts as failed. @default the feature's own */
  readonly timeoutSecs?: number;
  /** Looks; what it returns is shown as details to those who may see them. `signal` aborts at the timeout. */
  run(signal: AbortSignal): Awaitable<void | Readonly<Record<string, unknown>>>;
}

/** Most checks of one app. */
export const MAX_HEALTH_CHECKS = 50;

/** What is wrong with adding a check beside those that are there; `null` when nothing is. */
export const healthCheckProblem = ({ name }: HealthCheck, present: readonly HealthCheck[]): string | null => {
  if (typeof name !== "string" || !/^[A-Za-z0-9][\w.:-]{0,63}$/.test(name)) {
    return "the name of a health check must be 1 to 64 letters, digits, dots, colons, underscores or dashes";
  }
  if (present.some((other) => other.name === name)) {
    return `there is a health check "${name}" already; give each a name of its own`;
  }
  return present.length < MAX_HEALTH_CHECKS ? null : `an app may have ${MAX_HEALTH_CHECKS} health checks`;
};
