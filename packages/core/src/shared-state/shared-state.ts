import type { Permits } from "./permits/permits.ts";
import type { Totals } from "./totals/totals.ts";
import type { SharedValues } from "./values/shared-values.ts";

/**
 * State on which all workers of a service agree, as three ports: an adapter may offer one, two or all of them.
 *
 * Adapters: in this process (one worker), through the primary process (many workers), Redis (many hosts). Every operation is atomic within its
 * port. Keys are strings of at most 512 characters; each port has keys of its own. A call that breaks a bound throws a FrameworkError whose code
 * begins with CORE_SHARED_STATE_. CORE_SHARED_STATE_UNAVAILABLE means that the state cannot be reached: whether the call took effect is unknown.
 */
export interface SharedState {
  /** Values and counters that expire, and messages between workers. */
  readonly values: SharedValues;
  /** Permits that come back after their use: limits of rate. */
  readonly permits: Permits;
  /** Sums that never expire. */
  readonly totals: Totals;
}

/** Makes other adapters of some ports. Each is called once, before the first start task, with the port as the workers of this service have it. */
export type SharedStateMakers = {
  readonly [Port in keyof SharedState]?: (own: SharedState[Port]) => SharedState[Port];
};
