import type { Permits } from "./permits/permits.ts";
import type { Totals } from "./totals/totals.ts";
import type { SharedValues } from "./values/shared-values.ts";

/**
 * State shared by all workers of a service, as three ports. An adapter may implement any of them.
 *
 * Adapters: in this process (one worker), through the primary process (several workers), Redis (several hosts). Every operation is atomic within its port. Keys
 * are strings of 1 to 512 characters; each port has its own keys. An argument out of bounds throws a FrameworkError whose code begins with CORE_SHARED_STATE_;
 * each port describes what happens at its maximum number of keys. A `SharedStateUnavailableError`, 503, means that the state is unreachable and the outcome of
 * the call is unknown.
 */
export interface SharedState {
  /** Values and counters that expire, and messages between workers. */
  readonly values: SharedValues;
  /** Permits that return after their use, for rate limits. */
  readonly permits: Permits;
  /** Sums that never expire. */
  readonly totals: Totals;
}

/** Factories of adapters that replace ports. Each is called once, before the first start task, with the built-in adapter of its port, which it may wrap. */
export type SharedStateFactories = {
  readonly [Port in keyof SharedState]?: (builtIn: SharedState[Port]) => SharedState[Port];
};
