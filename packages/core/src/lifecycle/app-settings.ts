import type { LimitsConfig } from "../config/limits-config.ts";
import type { TimeoutConfig } from "../config/timeout-config.ts";
import type { SharedState } from "../shared-state/shared-state.ts";
import type { Logger } from "../log/logger.ts";

/** The two environments that a program can run in. */
export type Environment = "development" | "production";

/** What an app knows about how it is run; `run`, `start` and the first `fetch` fix it once. */
export interface AppSettings {
  readonly env: Environment;
  /** Shows messages and stacks in 5xx replies, but never in production. */
  readonly debug: boolean;
  /** Whether request lines are written. */
  readonly logs: boolean;
  /** Whether request lines were switched off by name (`--no-logs`, `logs: false`), which features that write their own obey; `logs` alone may be a default. */
  readonly quiet?: boolean | undefined;
  /** Number of serving processes. */
  readonly workers: number;
  readonly limits: LimitsConfig;
  readonly timeouts: TimeoutConfig;
  /** Addresses or CIDR blocks of proxies whose `X-Forwarded-*` and `X-Real-IP` fields are believed; none by default. */
  readonly trustedProxies: readonly string[];
  /** State that all workers share; the ports that a feature provides may reach further, such as to all hosts. */
  readonly shared: SharedState;
  /** The state of this service's own workers, where a feature replaced ports of `shared`. It keeps what must not cross hosts, such as metrics. */
  readonly own?: SharedState | undefined;
  readonly log: Logger;
}
