import { inProcessState } from "../../shared-state/in-process-state.ts";
import type { PrimaryLink } from "../../shared-state/workers/primary-link.ts";
import { serveSharedState } from "../../shared-state/workers/serve-shared-state.ts";
import type { Logger } from "../../log/logger.ts";
import type { WorkerProcess } from "./worker-process.ts";

/** The primary's shared state, and the workers connected to it. */
export interface WorkerState {
  /** Serves this worker's calls until it exits. */
  connect(worker: WorkerProcess): WorkerProcess;
  /** Stops serving calls. */
  close(): void;
}

/** Keeps the shared state of all workers; calls `onStuck` for a worker that no longer reads published messages. */
export const stateForWorkers = (log: Logger, onStuck: (worker: WorkerProcess) => void): WorkerState => {
  const workers = new Map<PrimaryLink, WorkerProcess>();
  const listeners = new Set<(link: PrimaryLink) => void>();
  const close = serveSharedState(
    // Each worker bounds its own subscriptions. An error for those of all workers together would end this process.
    inProcessState({ log, timeoutMs: Infinity, maxSubscriptions: Infinity }),
    {
      onWorker(listener) {
        listeners.add(listener);
        for (const link of workers.keys()) listener(link);
        return () => listeners.delete(listener);
      },
    },
    {
      onStuck: (link) => {
        const worker = workers.get(link);
        if (worker !== undefined) onStuck(worker);
      },
    },
  );
  return {
    connect(worker) {
      workers.set(worker.link, worker);
      worker.link.onClose(() => workers.delete(worker.link));
      for (const listener of listeners) listener(worker.link);
      return worker;
    },
    close,
  };
};
