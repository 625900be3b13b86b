import type { Logger } from "../../log/logger.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { RestartPolicy } from "./restart-policy.ts";
import type { MeanLoads } from "./mean-loads.ts";
import type { ForkWorker } from "./worker-process.ts";

/** Dependencies and settings of a supervisor. */
export interface SupervisorOptions {
  readonly workers: number;
  readonly fork: ForkWorker;
  readonly dispatcher: Dispatcher;
  readonly policy: RestartPolicy;
  readonly log: Logger;
  /** Whether a worker that exits before it is ready is restarted automatically while the service is serving; with reload, the next change restarts it. */
  readonly retries: boolean;
  /** Maximum milliseconds of the drain of a replaced worker. */
  readonly drainMs: number;
  readonly meanLoads: MeanLoads;
  /** Called when the service cannot continue: workers repeatedly exit before they are ready. */
  readonly onGiveUp: () => void;
  /** Called when a worker's program requests the stop of the whole service. */
  readonly onClose: () => void;
}

/** Counts of the work that the workers of a service could not finish in time. */
export interface DrainCounts {
  /** Sum of `ShutdownResult.cut`. */
  readonly cut: number;
  /** Number of workers whose drain listeners or stop tasks were still running at the deadline. */
  readonly late: number;
  /** Number of workers that exited before the end of their drain. */
  readonly died: number;
  /** Number of uncaught errors in workers that drained. */
  readonly errors: number;
}
