import type { RunOptions } from "../settings/run-options.ts";

/** Options of the service program, as JSON in the variable SCENARIO. */
export interface Scenario {
  readonly run?: RunOptions;
  /** The startup handler throws. */
  readonly failsToStart?: boolean;
  /** The shutdown handler never ends. */
  readonly failsToStop?: boolean;
  /** Each worker ends before it is ready. */
  readonly crashLoop?: boolean;
  /** The Node executable for workers does not exist. */
  readonly cannotFork?: boolean;
  /** Path of a file; a handler blocks its event loop until the file exists. */
  readonly blocksUntil?: string;
  /** Path of a file; while it exists, workers wait before `run` or in a startup handler. */
  readonly heldBy?: { readonly file: string; readonly in: "program" | "handler" };
  /** The program runs a second service after the first. */
  readonly second?: RunOptions;
  /** The second service starts once the first handles a request to /slow. */
  readonly secondAfterRequest?: boolean;
}
