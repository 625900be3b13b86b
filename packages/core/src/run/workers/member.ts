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
  /** Whether the worker has reported the end of its drain, or a stop has counted it as killed. */
  isAccountedFor?: boolean;
}

/** Milliseconds since a worker became ready. */
export const servedMs = ({ readyAt = Infinity }: Member): number => performance.now() - readyAt;

/** Whether a worker that exited may have lost requests of its drain. @param how as `WorkerEvents.exited` receives it */
export const diedInDrain = ({ phase, readyAt, isAccountedFor = false }: Member, how: string): boolean =>
  phase === "stopping" && readyAt !== undefined && !isAccountedFor && how !== "exit code 0";
