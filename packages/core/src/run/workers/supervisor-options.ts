import type { Logger } from "../../log/logger.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { RestartPolicy } from "./restart-policy.ts";
import type { ForkWorker } from "./worker-process.ts";

/** The parts and settings of a supervisor. */
export interface SupervisorOptions {
  readonly workers: number;
  readonly fork: ForkWorker;
  readonly dispatcher: Dispatcher;
  readonly policy: RestartPolicy;
  readonly log: Logger;
  /** Whether a worker that dies before it is ready is tried again by itself; with reload the next change does that. */
  readonly retries: boolean;
  /** Milliseconds that a replaced worker gets to finish what it has in flight. */
  readonly drainMs: number;
  /** The service cannot go on: workers die before they are ready, again and again. */
  readonly onGiveUp: () => void;
  /** A worker's program asked for the whole service to stop. */
  readonly onClose: () => void;
}

/** What the workers of a service could not finish in time. */
export interface Drained {
  /** Connections that were cut. */
  readonly cut: number;
  /** Workers whose drain listeners or stop tasks were still running. */
  readonly late: number;
}
