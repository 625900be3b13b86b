import type { LimitsConfig } from "../config/limits-config.ts";
import type { TimeoutConfig } from "../config/timeout-config.ts";
import type { SharedState } from "../shared-state/shared-state.ts";
import type { Logger } from "../log/logger.ts";

/** The two environments that a program can run in. */
export type Environment = "development" | "production";

/** Settings under which an app runs; fixed once, by `run`, `start` or the first `fetch`. */
export interface AppSettings {
  /** Environment of the app. */
  readonly env: Environment;
  /** Whether replies name similar routes (404) and rejecting guards and, outside production, show messages and stack traces of unexpected errors. */
  readonly debug: boolean;
  /** Whether requests are logged. */
  readonly logs: boolean;
  /**
   * Whether request logs were disabled explicitly (`--no-logs`, `logs: false`). Features that log requests obey it; `logs` alone may be a default.
   */
  readonly quiet?: boolean | undefined;
  /** Number of serving processes. */
  readonly workers: number;
  /** Limits of request heads, bodies and connections. */
  readonly limits: LimitsConfig;
  /** Timeouts of connections and handlers. */
  readonly timeouts: TimeoutConfig;
  /** Addresses or CIDR blocks of trusted proxies, whose `X-Forwarded-*` and `X-Real-IP` fields count; none by default. */
  readonly trustedProxies: readonly string[];
  /** State that all workers share. A feature may replace its ports with ports that the processes of several hosts share. */
  readonly shared: SharedState;
  /** State that the workers of this host share, even if a feature replaced ports of `shared`; for data that must stay on this host, such as metrics. */
  readonly own?: SharedState | undefined;
  /** Destination of log lines. */
  readonly log: Logger;
}
