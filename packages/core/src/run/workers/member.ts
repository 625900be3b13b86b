import type { StartFailure } from "../start/start-error.ts";
import type { WorkerProcess } from "./worker-process.ts";

/** A worker of a supervisor. */
export interface Member {
  readonly slot: number;
  readonly process: WorkerProcess;
  phase: "starting" | "ready" | "stopping" | "exited";
  /** Whether its program has reached `run`, so that it receives messages. */
  hasReachedRun: boolean;
  failure?: StartFailure;
  /** Monotonic milliseconds. */
  readyAt?: number;
}
