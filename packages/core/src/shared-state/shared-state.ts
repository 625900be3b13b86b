import type { Permits } from "./permits/permits.ts";
import type { Totals } from "./totals/totals.ts";
import type { SharedValues } from "./values/shared-values.ts";

/**
 * State shared by all workers of a service, as three ports. An adapter may implement any of them.
 *
 * Adapters: in this process (one worker), through the primary process (several workers), Redis (several hosts). Every operation is atomic within its port. Keys
 * are strings of at most 512 characters; each port has its own keys. A call that exceeds a bound throws a FrameworkError whose code begins with
 * CORE_SHARED_STATE_. A `SharedStateUnavailableError`, 503, means that the state is unreachable and the outcome of the call is unknown.
 */
export interface SharedState {
  /** Values and counters that expire, and messages between workers. */
  readonly values: SharedValues;
  /** Permits that return after their use, for rate limits. */
  readonly permits: Permits;
  /** Sums that never expire. */
  readonly totals: Totals;
}

/** Factories of adapters that replace ports. Each factory is called once, before the first start task, with the service's own port. */
export type SharedStateMakers = {
  readonly [Port in keyof SharedState]?: (own: SharedState[Port]) => SharedState[Port];
};
