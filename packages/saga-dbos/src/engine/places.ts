import { FrameworkError } from "@framework/core";
import { systemClock } from "@framework/core/feature";
import { type HeldLease, type Kernel, pause } from "@framework/durable/feature";

/** Most processes that run sagas of one app at a time. */
export const MAX_PROCESSES = 256;
const KIND = "saga-dbos";
const LAUNCH_POLL_MS = 100;

/**
 * Takes the first free place of a process. Its number is the process's executor id in DBOS, which runs the unfinished workflows of an id again when a process
 * launches with it: two processes must never have the same.
 *
 * @throws SAGA_DBOS_TOO_MANY
 */
export const takePlace = async (kernel: Kernel): Promise<HeldLease> => {
  for (let number = 0; number < MAX_PROCESSES; number++) {
    const lease = await kernel.acquireLease(KIND, String(number));
    if (lease !== null) return lease;
  }
  throw new FrameworkError(
    "SAGA_DBOS_TOO_MANY",
    `saga-dbos: ${MAX_PROCESSES} processes run sagas of this app already; start this one with workers: false`,
  );
};

/**
 * Launches DBOS while no other process of the app does: a launch migrates DBOS's tables, and two migrations of the same tables deadlock.
 *
 * @param signal ends the wait for the other processes
 */
export const launchAlone = async (
  kernel: Kernel,
  signal: AbortSignal,
  launch: () => Promise<void>,
): Promise<void> => {
  for (;;) {
    signal.throwIfAborted();
    const lease = await kernel.acquireLease(KIND, "launch");
    if (lease === null) {
      await pause(systemClock, LAUNCH_POLL_MS, signal);
      continue;
    }
    try {
      return await launch();
    } finally {
      await lease.release();
    }
  }
};

/** Executor id of a place. */
export const executorOf = ({ name }: Pick<HeldLease, "name">): string => `saga-${name}`;

/** Executor ids of all places. */
export const allExecutors: readonly string[] = Array.from({ length: MAX_PROCESSES }, (_, number) =>
  executorOf({ name: String(number) }),
);

/** Calls `adopt` for each of the executors whose process is gone, while no other process does. */
export const forGone = async (
  kernel: Kernel,
  executors: Iterable<string>,
  adopt: (executor: string) => Promise<void>,
): Promise<void> => {
  for (const executor of executors) {
    const lease = await kernel.acquireLease(KIND, executor.replace("saga-", ""));
    if (lease === null) continue;
    try {
      await adopt(executor);
    } finally {
      await lease.release();
    }
  }
};
