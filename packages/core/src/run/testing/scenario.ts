import type { RunOptions } from "../settings/run-options.ts";

/** What a test wants of the service program, as JSON in the variable SCENARIO. */
export interface Scenario {
  readonly run?: RunOptions;
  /** The startup hook throws. */
  readonly failsToStart?: boolean;
  /** The shutdown hook never ends. */
  readonly failsToStop?: boolean;
  /** Each worker ends before it is ready. */
  readonly crashLoop?: boolean;
  /** The program runs a second service after the first. */
  readonly second?: RunOptions;
}
