import { configRecord, type ConfigRecord } from "./config-record.ts";
import { decimal, integer, oneOf } from "./field-rules.ts";

/** Supervision of workers and shutdown of the service. */
export interface ClusterConfig {
  /** Maximum number of exits of unready workers within 60 s, 0 to 1,000; above it the supervisor exits with code 1. @default 5 */
  readonly maxRestarts: number;
  /** Seconds for the whole drain, 0.1 to 3,600; connections still open then are closed and counted. @default 30 */
  readonly shutdownTimeoutSecs: number;
  /** Seconds between readiness turning 503 and the listener closing, 0 to 600; unset: 2 in production with health checks, otherwise 0. */
  readonly readinessDelaySecs: number | undefined;
  /**
   * The processes that accept connections: `workers`, from one shared listening socket, where Node supports that (26.6 or newer, not
   * on Windows); or the `primary`, which passes every connection on, at more than twice the CPU time per connection. @default "workers"
   */
  readonly accept: "workers" | "primary";
}

export const ClusterConfig: ConfigRecord<ClusterConfig> = configRecord("ClusterConfig", {
  maxRestarts: integer(5, { min: 0, max: 1000 }),
  shutdownTimeoutSecs: decimal(30, { min: 0.1, max: 3600 }),
  readinessDelaySecs: { default: undefined, problem: decimal(0, { min: 0, max: 600 }).problem },
  accept: oneOf("workers", ["workers", "primary"]),
});
