import type { Awaitable } from "../middleware.ts";

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
